package dev.kv;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Options and their values. A subclass declares each of its options once: name, default and limits.
 * Copies, checks, equality and texts follow from the declarations. Immutable.
 *
 * @param <G> the subclass
 */
abstract class OptionGroup<G extends OptionGroup<G>> {
  /** The longest time that an option takes: its nanoseconds fit a long. */
  static final Duration LONGEST_TIME = Duration.ofDays(290L * 365);

  private final Declared declared;
  private final @Nullable Object[] values;

  OptionGroup(Declared declared, @Nullable Object[] values) {
    this.declared = declared;
    this.values = values;
  }

  /** Returns a group of the same class with these values. */
  abstract G of(@Nullable Object[] values);

  /** Returns the value of an option that is never null. */
  final <T> T get(Option<T> option) {
    return Objects.requireNonNull(find(option), option.name);
  }

  @SuppressWarnings("unchecked") // the value has passed with(), or is the default
  final <T> @Nullable T find(Option<T> option) {
    return (T) option.used(values[option.index]);
  }

  /** Returns this group with another value of one option, or throws if it does not take it. */
  final <T> G with(Option<T> option, @Nullable T value) {
    option.check(value);
    @Nullable Object[] changed = values.clone();
    changed[option.index] = value;
    return of(changed);
  }

  /**
   * Returns the values that are outside the range of their option, here and in groups of this one.
   */
  final List<Options.ClippedValue> clipped() {
    List<Options.ClippedValue> clipped = new ArrayList<>();
    for (Option<?> option : declared.options) {
      Object value = values[option.index];
      Object used = option.used(value);
      if (value instanceof Number asked && used instanceof Number number && !used.equals(value)) {
        clipped.add(new Options.ClippedValue(option.name, asked.longValue(), number.longValue()));
      } else if (value instanceof OptionGroup<?> group) {
        clipped.addAll(group.clipped());
      }
    }
    return List.copyOf(clipped);
  }

  private Map<String, @Nullable Object> used() {
    Map<String, @Nullable Object> used = new LinkedHashMap<>();
    for (Option<?> option : declared.options) {
      used.put(option.name, option.used(values[option.index]));
    }
    return used;
  }

  @Override
  public final boolean equals(@Nullable Object other) {
    return other instanceof OptionGroup<?> group
        && declared == group.declared
        && used().equals(group.used());
  }

  @Override
  public final int hashCode() {
    return used().hashCode();
  }

  /** Returns the names and values of all options, for logs. */
  @Override
  public final String toString() {
    return declared.name + used();
  }

  /**
   * Sets options of a group. The values that are not set stay as they are. Not thread-safe.
   *
   * @param <G> the group
   * @param <B> the subclass
   */
  abstract static class Builder<G extends OptionGroup<G>, B extends Builder<G, B>> {
    private G options;

    Builder(G options) {
      this.options = options;
    }

    /** Returns a group with the values of this builder. */
    final G options() {
      return options;
    }

    /** Sets the value of one option, or throws if it does not take it. */
    @SuppressWarnings("unchecked") // B is the class of this builder
    final <T> B set(Option<T> option, @Nullable T value) {
      options = options.with(option, value);
      return (B) this;
    }
  }

  /** The options of a group, in the order in which its text names them. */
  static final class Declared {
    private final String name;
    private final List<Option<?>> options = new ArrayList<>();

    Declared(String name) {
      this.name = name;
    }

    /** Declares an option that is never null. */
    <T> Option<T> option(String name, T byDefault) {
      return add(new Option<>(name, options.size(), byDefault, Long.MIN_VALUE, null, null));
    }

    /** Declares an option whose default is null. */
    <T> Option<T> nullable(String name) {
      return add(new Option<>(name, options.size(), null, Long.MIN_VALUE, null, null));
    }

    /** Declares a number that is at least {@code least}. */
    <T extends Number> Option<T> number(String name, T byDefault, long least) {
      return add(new Option<>(name, options.size(), byDefault, least, null, null));
    }

    /** Declares a number of which a value below {@code min} or above {@code max} is clipped. */
    <T extends Number> Option<T> clipped(String name, T byDefault, long least, T min, T max) {
      return add(new Option<>(name, options.size(), byDefault, least, min, max));
    }

    private <T> Option<T> add(Option<T> option) {
      options.add(option);
      return option;
    }

    @Nullable Object[] defaults() {
      @Nullable Object[] values = new @Nullable Object[options.size()];
      for (Option<?> option : options) {
        values[option.index] = option.byDefault;
      }
      return values;
    }
  }

  /**
   * An option.
   *
   * @param index where a group has its value
   * @param byDefault the default; the option takes null only if it is null
   * @param least the smallest number that it takes
   * @param min the smallest number that is used, or null for no bound
   * @param max the largest number that is used, or null for no bound
   */
  record Option<T>(
      String name, int index, @Nullable T byDefault, long least, @Nullable T min, @Nullable T max) {
    private void check(@Nullable Object value) {
      if (byDefault != null) {
        Objects.requireNonNull(value, name);
      }
      if (value instanceof Number number && number.longValue() < least) {
        throw new IllegalArgumentException(name + " is " + value + ", must be at least " + least);
      }
    }

    private @Nullable Object used(@Nullable Object value) {
      if (value instanceof Number asked
          && min instanceof Number low
          && max instanceof Number high) {
        long number = asked.longValue();
        return number < low.longValue() ? min : number > high.longValue() ? max : value;
      }
      return value;
    }
  }
}
