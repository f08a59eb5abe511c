package example;

import dev.kv.DB;
import dev.kv.bytes.DBComparator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** A tour of kv from Java, which fails if a comment is wrong. */
final class Main {
  private static final Person ADA = new Person("Ada Lovelace", 1815, "mathematics");
  private static final Person ALAN = new Person("Alan Turing", 1912, "logic");
  private static final Person BARBARA = new Person("Barbara Liskov", 1939, "languages");
  private static final Person GRACE = new Person("Grace Hopper", 1906, "compilers");

  private Main() {}

  public static void main(String[] args) throws IOException {
    Path directory = Files.createTempDirectory("kv-example");
    try {
      people(directory);
    } finally {
      DB.destroy(directory, Options.DEFAULT);
    }
    newestFirst();
    typedMaps();
    System.out.println("Java: everything works");
  }

  private static void people(Path directory) {
    try (People people = new People(directory)) {
      people.add(ADA);
      people.addAll(List.of(GRACE, ALAN, BARBARA)); // a batch
      expect(Optional.of(ADA), people.find("Ada Lovelace"));
      expect(Optional.empty(), people.find("Nobody"));
      expect(Optional.of(1912), people.yearOfBirth("Alan Turing"));

      // A range of the keys, in their order
      expect(List.of(ADA, ALAN, BARBARA), people.between("A", "C"));

      // A snapshot does not see what is written after it
      try (Snapshot before = people.snapshot()) {
        people.remove("Grace Hopper");
        expect(List.of(ADA, ALAN, BARBARA), people.all());
        expect(List.of(ADA, ALAN, BARBARA, GRACE), people.all(before));
      }
    }

    // After a close and another open, everything is there
    try (People people = new People(directory)) {
      expect(List.of(ADA, ALAN, BARBARA), people.all());
    }
  }

  /** A database in memory whose keys are numbers, the highest first. */
  private static void newestFirst() {
    Options options =
        Options.builder()
            .createIfMissing(true)
            .env(Env.inMemory())
            .comparator(DBComparator.of("example.Descending", Comparator.reverseOrder()))
            .build();
    try (DB years = DB.open(Path.of("years"), options)) {
      for (Person person : List.of(ADA, ALAN, GRACE)) {
        years.put(
            ByteBuffer.allocate(Integer.BYTES).putInt(person.born()).array(),
            Person.key(person.name()));
      }
      List<String> names = new ArrayList<>();
      years.forEach(ReadOptions.DEFAULT, (year, name) -> names.add(name.toUtf8String()));
      expect(List.of("Alan Turing", "Grace Hopper", "Ada Lovelace"), names);
    }
  }

  /** Customers and their orders: two typed maps in one database. */
  private static void typedMaps() {
    Options options = Options.builder().createIfMissing(true).env(Env.inMemory()).build();
    try (DB db = DB.open(Path.of("shop"), options)) {
      Shop shop = new Shop(db);
      shop.order(42, "1-tea");
      shop.order(7, "2-rice");
      shop.order(42, "3-book");
      expect(List.of("1-tea", "3-book"), shop.orders(42));
      expect(2L, shop.count(42));
      shop.forget(42);
      expect(List.of(), shop.orders(42));
      expect(List.of("2-rice"), shop.orders(7));
    }
  }

  private static void expect(Object wanted, Object found) {
    if (!Objects.equals(wanted, found)) {
      throw new AssertionError("expected " + wanted + ", found " + found);
    }
  }
}
