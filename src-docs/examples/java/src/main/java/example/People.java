package example;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** A typed store over a database: people by name. Thread-safe, as the database is. */
final class People implements AutoCloseable {
  private final DB db;

  People(Path directory) {
    db = DB.open(directory, Options.builder().createIfMissing(true).build());
  }

  void add(Person person) {
    db.put(Person.key(person.name()), person.value());
  }

  /** All of them or none, and on the device when this returns. */
  void addAll(Collection<Person> people) {
    WriteBatch batch = WriteBatch.create();
    people.forEach(person -> batch.put(Person.key(person.name()), person.value()));
    db.write(WriteOptions.SYNC, batch);
  }

  void remove(String name) {
    db.delete(Person.key(name));
  }

  Optional<Person> find(String name) {
    byte[] key = Person.key(name);
    return Optional.ofNullable(db.get(key)).map(value -> Person.of(key, value));
  }

  /** Without a copy of the value. */
  OptionalInt yearOfBirth(String name) {
    Integer year = db.read(Person.key(name), Person::born);
    return year == null ? OptionalInt.empty() : OptionalInt.of(year);
  }

  /** Those whose names lie in [from, to), in order. */
  List<Person> between(String from, String to) {
    ReadOptions range =
        ReadOptions.builder().lowerBound(Person.key(from)).upperBound(Person.key(to)).build();
    return list(range);
  }

  List<Person> all() {
    return list(ReadOptions.DEFAULT);
  }

  List<Person> all(Snapshot snapshot) {
    return list(ReadOptions.from(snapshot));
  }

  Snapshot snapshot() {
    return db.snapshot();
  }

  private List<Person> list(ReadOptions options) {
    try (DBIterator cursor = db.iterator(options)) {
      return cursor.stream().map(entry -> Person.of(entry.getKey(), entry.getValue())).toList();
    }
  }

  @Override
  public void close() {
    db.close();
  }
}
