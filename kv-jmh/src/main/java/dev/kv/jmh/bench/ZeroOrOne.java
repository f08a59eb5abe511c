package dev.kv.jmh.bench;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a switch as db_bench writes it, {@code 0} or {@code 1}; true and false are taken too. */
final class ZeroOrOne implements ITypeConverter<Boolean> {

  @Override
  public Boolean convert(String value) {
    return switch (value) {
      case "1", "true" -> true;
      case "0", "false" -> false;
      default -> throw new TypeConversionException("'" + value + "' is neither 0 nor 1");
    };
  }
}
