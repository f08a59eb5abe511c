package dev.kv.jmh.bench;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a switch of db_bench, {@code 0} or {@code 1}; true and false work too. */
final class ZeroOrOne implements ITypeConverter<Boolean> {

  @Override
  public Boolean convert(String value) {
    return switch (value) {
      case "1", "true" -> true;
      case "0", "false" -> false;
      default -> throw new TypeConversionException("'" + value + "' is not 0 or 1");
    };
  }
}
