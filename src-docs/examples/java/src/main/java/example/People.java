package example;

import dev.kv.DB;
import dev.kv.bytes.Entry;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A typed store over a database: people by name. Thread-safe, like the database. */
final class People implements AutoCloseable {
  private final DB db;

  People(Path directory) {
    db = DB.open(directory, Options.builder().createIfMissing(true).build());
  }

  void add(Person person) {
    db.put(Person.key(person.name()), person.value());
  }

  /** Adds all of them or none. They are on the device when this method returns. */
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

  /** Returns the year without a copy of the value, or empty if there is no such person. */
  Optional<Integer> yearOfBirth(String name) {
    return db.find(Person.key(name), Person::born);
  }

  /** Returns the people whose names are in [from, to), in order. */
  List<Person> between(String from, String to) {
    ReadOptions range =
        ReadOptions.builder().lowerBound(Person.key(from)).upperBound(Person.key(to)).build();
    return list(range);
  }

  List<Person> all() {
    return list(ReadOptions.DEFAULT);
  }

  List<Person> all(Snapshot snapshot) {
    return list(ReadOptions.at(snapshot));
  }

  Snapshot snapshot() {
    return db.snapshot();
  }

  private List<Person> list(ReadOptions options) {
    try (Stream<Entry> entries = db.stream(options)) {
      return entries.map(entry -> Person.of(entry.key(), entry.value())).toList();
    }
  }

  @Override
  public void close() {
    db.close();
  }
}
