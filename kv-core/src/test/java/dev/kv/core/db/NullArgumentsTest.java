package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.BatchOperations;
import dev.kv.DB;
import dev.kv.DBFactory;
import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.Dump;
import dev.kv.Entries;
import dev.kv.FilterPolicy;
import dev.kv.KeyValueStore;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.ReadOptions;
import dev.kv.SharedResources;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.admin.LiveFiles;
import dev.kv.backup.Backups;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Entry;
import dev.kv.bytes.PinnedValue;
import dev.kv.bytes.Range;
import dev.kv.bytes.Slice;
import dev.kv.bytes.ValueReader;
import dev.kv.change.ChangeGroup;
import dev.kv.change.ChangeOptions;
import dev.kv.change.ChangePosition;
import dev.kv.change.Changes;
import dev.kv.change.OperationHandler;
import dev.kv.env.Env;
import dev.kv.errors.ConflictException;
import dev.kv.event.DBListener;
import dev.kv.event.ProgressListener;
import dev.kv.load.BulkLoadOptions;
import dev.kv.map.Codec;
import dev.kv.map.Codecs;
import dev.kv.map.DBMap;
import dev.kv.map.KeyCodec;
import dev.kv.options.CompactionFilter;
import dev.kv.options.CompressionType;
import dev.kv.options.LogRetention;
import dev.kv.options.RecoveryMode;
import dev.kv.options.TableSuffix;
import dev.kv.space.Space;
import dev.kv.table.TableFactory;
import dev.kv.table.TableReader;
import dev.kv.table.TableWriter;
import dev.kv.ttl.TimeToLive;
import dev.kv.tuple.TupleBuilder;
import dev.kv.tuple.TupleReader;
import dev.kv.tuple.Tuples;
import java.io.IOException;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.TypeVariable;
import java.math.BigInteger;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Null for each parameter that does not allow it, at every public method of the API and every
 * implementation of it: a NullPointerException that names the parameter, and no other effect.
 *
 * <p>A parameter allows null if its type, or the bound of its type variable, is {@link Nullable}.
 * The names are those of the interface that the program sees.
 */
@ExtendWith(LeakCheck.class)
class NullArgumentsTest {
  /** What a program may implement and the library calls: it never passes null. */
  private static final Set<String> CALLBACKS =
      Set.of(
          "CompactionFilter",
          "DBListener",
          "Dump.Sink",
          "ValueReader",
          "OperationHandler",
          "ProgressListener",
          "DBComparator",
          "Env",
          "EnvProvider",
          "FilterPolicy",
          "ForwardingEnv",
          "MappedLogFile",
          "RandomAccessFile",
          "SequentialFile",
          "WritableFile",
          "ForwardingMappedLogFile",
          "ForwardingRandomAccessFile",
          "ForwardingSequentialFile",
          "ForwardingWritableFile");

  /** What the library makes, and a program only reads. */
  private static final Pattern RESULTS =
      Pattern.compile("DBStats.*|.*Event|.*Exception|RepairReport|Backup|Options.ClippedValue");

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Map<Class<?>, Object> samples = new LinkedHashMap<>();
  private final List<Object> receivers = new ArrayList<>();

  @TempDir Path temp;
  private DB db;

  /** What programs make themselves, which the sweep leaves out. */
  @Test
  void filterOfAPrefixAndConflict_nullForTheirArray_areRefusedByName() {
    assertThatThrownBy(() -> TimeToLive.filter().forPrefix(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("prefix");
    assertThatThrownBy(() -> new ConflictException("conflict", null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("key");
  }

  @Test
  void everyMethod_nullForAParameterThatDoesNotAllowIt_isRefusedByName() throws Exception {
    Env env = Env.inMemory();
    Path directory = Path.of("/null");
    Options options = Options.builder().createIfMissing(true).env(env).build();
    try {
      receivers(env, directory, options);
      samples(options);
      List<Entry> before = db.entries(ReadOptions.DEFAULT).stream().toList();
      Set<String> wrong = new TreeSet<>();
      Set<Class<?>> reached = new LinkedHashSet<>();
      for (Class<?> type : publicTypes()) {
        for (Executable each : statics(type)) {
          check(null, each, wrong);
        }
      }
      for (Object receiver : receivers) {
        for (Class<?> type : publicTypesOf(receiver.getClass())) {
          if (CALLBACKS.contains(nameOf(type))) {
            continue;
          }
          reached.add(type);
          for (Method method : type.getMethods()) {
            if (isOurs(method) && !Modifier.isStatic(method.getModifiers())) {
              check(receiver, method, wrong);
            }
          }
        }
      }
      for (Class<?> type : publicTypes()) {
        if (!reached.contains(type)
            && !CALLBACKS.contains(nameOf(type))
            && Stream.of(type.getMethods())
                .filter(NullArgumentsTest::isOurs)
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .anyMatch(
                    method -> Stream.of(method.getParameters()).anyMatch(this::refusesNull))) {
          wrong.add(nameOf(type) + ": no instance of it is tested");
        }
      }
      assertThat(wrong).isEmpty();
      assertThat(db.entries(ReadOptions.DEFAULT).stream().toList()).isEqualTo(before);
    } finally {
      while (!open.isEmpty()) {
        open.pop().close();
      }
    }
  }

  private void receivers(Env env, Path directory, Options options) throws Exception {
    db = opened(DB.open(directory, options));
    db.put(bytes("s/k"), bytes("0123456789"));
    KeyValueStore space = Space.of(db, "s/");
    KeyValueStore timed = TimeToLive.of(Space.of(db, "t/"), Duration.ofDays(1));
    timed.put(bytes("k"), bytes("v"));
    db.admin().flush();
    ReadOnlyDB readOnly = opened(DB.openReadOnly(directory, options));
    for (KeyValueStore store : List.of(db, space, timed)) {
      receivers.add(store);
      reader(store);
      Snapshot snapshot = opened(store.snapshot());
      reader(snapshot);
      Transaction transaction = opened(store.transaction());
      reader(transaction);
      reader(opened(transaction.snapshot()));
      receivers.add(store.loads());
      receivers.add(opened(store.loads().bulkLoader()));
      BulkLoadOptions unsorted = BulkLoadOptions.builder().sorted(false).build();
      receivers.add(opened(store.loads().bulkLoader(unsorted)));
      receivers.add(store.within(WriteBatch.create()));
      WriteBatch filled = WriteBatch.create();
      store.within(filled).put(bytes("k"), bytes("v")).delete(bytes("l"));
      receivers.add(store.within(filled));
      DBMap<String, String> map = DBMap.of(store, Codecs.utf8(), Codecs.utf8());
      receivers.add(map);
      receivers.add(map.descendingMap());
      receivers.add(DBMap.reading(snapshot, Codecs.utf8(), Codecs.utf8()));
    }
    receivers.add(readOnly);
    reader(readOnly);
    reader(opened(readOnly.snapshot()));
    reader(Space.reading(readOnly, bytes("s/")));
    reader(TimeToLive.reading(Space.reading(readOnly, bytes("t/")), InstantSource.system()));
    receivers.add(db.admin());
    receivers.add(readOnly.admin());
    feed(env);
    tables(options);
    Backups backups = Backups.at(Path.of("/null-backups"), env);
    backups.create(db.admin());
    receivers.add(backups);
    LiveFiles live = opened(db.admin().suspendDeletions());
    receivers.add(live);
    receivers.add(live.files().get(0));
    Options.builder()
        .memory(receivers::add)
        .compaction(receivers::add)
        .tables(receivers::add)
        .monitoring(receivers::add);
    receivers.addAll(
        List.of(
            DBFactory.instance(),
            TableFactory.instance(),
            options,
            options.memory(),
            options.compaction(),
            options.tables(),
            options.monitoring(),
            Options.builder(),
            ReadOptions.DEFAULT,
            ReadOptions.builder(),
            WriteOptions.SYNC,
            WriteOptions.builder(),
            ChangeOptions.UNSYNCED,
            ChangeOptions.builder(),
            LogRetention.ofBytes(9),
            LogRetention.builder(),
            TransactionOptions.DEFAULT,
            TransactionOptions.builder(),
            BulkLoadOptions.DEFAULT,
            BulkLoadOptions.builder(),
            SharedResources.builder(),
            opened(SharedResources.builder().build()),
            CompactionFilter.Decision.KEEP,
            TupleBuilder.create(),
            TupleReader.of(Tuples.pack("a")),
            Slice.of("0123456789"),
            Slice.of("0123456789").suffix(1),
            KeyCodec.of(String::getBytes, Slice::toUtf8String),
            Codec.of(String::getBytes, Slice::toUtf8String),
            Codecs.utf8().mapped(Object::toString, Object::toString),
            Codecs.bytes(),
            Codecs.utf8(),
            Codecs.booleans(),
            Codecs.ints(),
            Codecs.longs(),
            Codecs.floats(),
            Codecs.doubles(),
            Codecs.bigIntegers(),
            Codecs.uuids(),
            Codecs.instants(),
            Codecs.enums(CompressionType.class),
            Codecs.tuples()));
  }

  /** Adds a reader, and what can be had from it. */
  private void reader(DBReader reader) throws Exception {
    receivers.add(reader);
    DBIterator iterator = opened(reader.iterator());
    iterator.seekToFirst();
    receivers.add(iterator);
    DBIterator some = reader.iterator(ReadOptions.builder().upperBound(bytes("z")).build());
    receivers.add(opened(some));
    Entries entries = opened(reader.entries(ReadOptions.DEFAULT));
    receivers.add(entries);
    PinnedValue pinned = reader.pinned(bytes("k"));
    if (pinned != null) {
      receivers.add(opened(pinned));
      receivers.add(pinned.slice());
    }
  }

  private void feed(Env env) throws Exception {
    Options options =
        Options.builder()
            .createIfMissing(true)
            .env(env)
            .logRetention(LogRetention.ofBytes(9))
            .build();
    DB fed = opened(DB.open(Path.of("/null-fed"), options));
    ChangePosition start = fed.changes().position();
    fed.put(bytes("k"), bytes("v"));
    receivers.add(fed.changes());
    receivers.add(start);
    Changes changes = opened(fed.changes().open(ChangeOptions.UNSYNCED, start));
    receivers.add(changes);
    ChangeGroup group = changes.take();
    receivers.add(group);
  }

  private void tables(Options options) throws Exception {
    Path file = Path.of("/null-table.ldb");
    try (TableWriter table = TableWriter.create(file, options)) {
      table.put(bytes("k"), bytes("v"));
      table.finish();
    }
    receivers.add(opened(TableWriter.create(Path.of("/null-other.ldb"), options)));
    receivers.add(opened(TableWriter.forIngest(Path.of("/null-ingest.ldb"), options)));
    TableReader table = opened(TableReader.open(file, options));
    receivers.add(table);
    receivers.add(opened(table.iterator(ReadOptions.DEFAULT)));
  }

  private void samples(Options options) {
    samples.put(byte[].class, bytes("k"));
    samples.put(ByteBuffer.class, ByteBuffer.wrap(bytes("k")));
    samples.put(Object.class, "k");
    samples.put(String.class, "k");
    samples.put(Slice.class, Slice.of("k"));
    samples.put(Path.class, Path.of("/null-absent"));
    samples.put(Options.class, options);
    samples.put(ReadOptions.class, ReadOptions.DEFAULT);
    samples.put(WriteOptions.class, WriteOptions.DEFAULT);
    samples.put(TransactionOptions.class, TransactionOptions.DEFAULT);
    samples.put(BulkLoadOptions.class, BulkLoadOptions.DEFAULT);
    samples.put(ChangeOptions.class, ChangeOptions.DEFAULT);
    samples.put(ChangePosition.class, new ChangePosition(1, 1));
    samples.put(OperationHandler.class, proxy(OperationHandler.class));
    samples.put(ValueReader.class, (ValueReader<Object>) Slice::toByteArray);
    samples.put(Function.class, Function.identity());
    samples.put(UnaryOperator.class, UnaryOperator.identity());
    samples.put(BiFunction.class, (BiFunction<Object, Object, Object>) (a, b) -> a);
    samples.put(Consumer.class, (Consumer<Object>) a -> {});
    samples.put(BiConsumer.class, (BiConsumer<Object, Object>) (a, b) -> {});
    samples.put(Comparator.class, Comparator.naturalOrder());
    samples.put(List.class, List.of());
    samples.put(Map.class, Map.of());
    samples.put(Range.class, new Range(bytes("a"), bytes("b")));
    samples.put(Duration.class, Duration.ofDays(1));
    samples.put(Instant.class, Instant.EPOCH);
    samples.put(InstantSource.class, InstantSource.system());
    samples.put(KeyValueStore.class, db);
    samples.put(DBReader.class, db);
    samples.put(Transaction.class, opened(db.transaction()));
    samples.put(Snapshot.class, opened(db.snapshot()));
    samples.put(dev.kv.admin.DBInspector.class, db.admin());
    samples.put(Env.class, options.env());
    samples.put(Codec.class, Codecs.utf8());
    samples.put(KeyCodec.class, Codecs.utf8());
    samples.put(Class.class, CompressionType.class);
    samples.put(DBComparator.class, DBComparator.bytewise());
    samples.put(RecoveryMode.class, RecoveryMode.STRICT);
    samples.put(CompressionType.class, CompressionType.NONE);
    samples.put(TableSuffix.class, TableSuffix.LDB);
    samples.put(TransactionOptions.Isolation.class, TransactionOptions.Isolation.SNAPSHOT);
    samples.put(SharedResources.Settings.class, SharedResources.builder().settings());
    samples.put(BigInteger.class, BigInteger.ONE);
    samples.put(UUID.class, new UUID(1, 2));
    samples.put(ByteOrder.class, ByteOrder.BIG_ENDIAN);
    samples.put(Object[].class, new Object[] {"k"});
    samples.put(Runnable.class, (Runnable) () -> {});
    samples.put(Dump.Sink.class, proxy(Dump.Sink.class));
    samples.put(DBListener.class, proxy(DBListener.class));
    samples.put(ProgressListener.class, proxy(ProgressListener.class));
    samples.put(CompactionFilter.class, TimeToLive.filter());
    samples.put(FilterPolicy.class, FilterPolicy.bloom(10));
  }

  private void check(@Nullable Object receiver, Executable method, Set<String> wrong) {
    Parameter[] parameters = method.getParameters();
    for (int i = 0; i < parameters.length; i++) {
      if (!refusesNull(parameters[i])) {
        continue;
      }
      Object[] arguments = new Object[parameters.length];
      for (int j = 0; j < parameters.length; j++) {
        arguments[j] = j == i ? null : sample(parameters[j]);
      }
      String result = call(receiver, method, arguments);
      if (result.startsWith("Unsupported")) {
        arguments[i] = sample(parameters[i]);
        assertThat(call(receiver, method, arguments)).as(method.toString()).isEqualTo(result);
        continue;
      }
      if (!result.equals("NullPointerException: " + parameters[i].getName())) {
        wrong.add(
            nameOf(receiver == null ? method.getDeclaringClass() : receiver.getClass())
                + "."
                + method.getName()
                + Stream.of(parameters)
                    .map(each -> each.getType().getSimpleName() + " " + each.getName())
                    .toList()
                + " with null for "
                + parameters[i].getName()
                + ": "
                + result);
      }
    }
  }

  private static String call(
      @Nullable Object receiver, Executable method, @Nullable Object[] arguments) {
    try {
      method.setAccessible(true);
      Object result =
          method instanceof Method call
              ? call.invoke(receiver, arguments)
              : ((Constructor<?>) method).newInstance(arguments);
      if (result instanceof AutoCloseable closeable && result != receiver) {
        closeable.close();
      }
      return "no exception";
    } catch (InvocationTargetException e) {
      Throwable thrown = e.getCause();
      return thrown.getClass().getSimpleName() + ": " + thrown.getMessage();
    } catch (Exception e) {
      throw new AssertionError(method.toString(), e);
    }
  }

  private @Nullable Object sample(Parameter parameter) {
    Class<?> type = parameter.getType();
    if (type == boolean.class) {
      return false;
    }
    if (type == byte.class) {
      return (byte) 1;
    }
    if (type == int.class) {
      return 1;
    }
    if (type == long.class) {
      return 1L;
    }
    if (type == WriteBatch.class || type == BatchOperations.class) {
      return WriteBatch.create().put(bytes("new"), bytes("v"));
    }
    Object sample = samples.get(type);
    if (sample == null && refusesNull(parameter)) {
      throw new AssertionError(
          "no sample of " + type + " for " + parameter.getDeclaringExecutable());
    }
    return sample;
  }

  private boolean refusesNull(Parameter parameter) {
    AnnotatedType type = parameter.getAnnotatedType();
    if (parameter.getType().isPrimitive() || type.isAnnotationPresent(Nullable.class)) {
      return false;
    }
    return !(type.getType() instanceof TypeVariable<?> variable)
        || Stream.of(variable.getAnnotatedBounds())
            .noneMatch(bound -> bound.isAnnotationPresent(Nullable.class));
  }

  private static boolean isOurs(Executable method) {
    return method.getDeclaringClass().getPackageName().startsWith("dev.kv")
        && !method.isSynthetic()
        && !method.getName().equals("equals");
  }

  /** Returns the static methods of a type, and the constructors that programs call. */
  private static List<Executable> statics(Class<?> type) {
    List<Executable> all = new ArrayList<>();
    for (Method method : type.getMethods()) {
      if (isOurs(method)
          && Modifier.isStatic(method.getModifiers())
          && method.getDeclaringClass() == type
          && !method.getName().equals("valueOf")) {
        all.add(method);
      }
    }
    if (!RESULTS.matcher(nameOf(type)).matches() && !Modifier.isAbstract(type.getModifiers())) {
      all.addAll(List.of(type.getConstructors()));
    }
    return all;
  }

  /** Returns the public types of the API, from its class files in a directory or in a jar. */
  private static List<Class<?>> publicTypes() throws IOException, URISyntaxException {
    Path classes = Path.of(DB.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<Class<?>> types;
    if (Files.isDirectory(classes)) {
      types = publicTypes(classes);
    } else {
      try (FileSystem jar = FileSystems.newFileSystem(classes, (ClassLoader) null)) {
        types = publicTypes(jar.getPath("/"));
      }
    }
    assertThat(types).hasSizeGreaterThan(100);
    return types;
  }

  private static List<Class<?>> publicTypes(Path classes) throws IOException {
    List<Class<?>> types = new ArrayList<>();
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : (Iterable<Path>) files.sorted()::iterator) {
        String path = classes.relativize(file).toString().replace('/', '.').replace('\\', '.');
        // A jar for several releases has the classes of the newer ones once more.
        if (path.endsWith(".class")
            && !path.endsWith("-info.class")
            && !path.startsWith("META-INF")
            && !path.startsWith("dev.kv.file.")) { // no program sees it
          Class<?> type = load(path.substring(0, path.length() - ".class".length()));
          if (isPublic(type)) {
            types.add(type);
          }
        }
      }
    }
    return types;
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isPublic(Class<?> type) {
    return Modifier.isPublic(type.getModifiers())
        && (type.getDeclaringClass() == null || isPublic(type.getDeclaringClass()))
        && !type.getName().contains(".core.");
  }

  private static Set<Class<?>> publicTypesOf(Class<?> type) {
    Set<Class<?>> found = new LinkedHashSet<>();
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      if (each.getName().startsWith("dev.kv") && isPublic(each)) {
        found.add(each);
      }
      for (Class<?> implemented : each.getInterfaces()) {
        found.addAll(publicTypesOf(implemented));
      }
    }
    return found;
  }

  private static String nameOf(Class<?> type) {
    return type.getName().substring(type.getPackageName().length() + 1).replace('$', '.');
  }

  private static <T> T proxy(Class<T> type) {
    return type.cast(
        java.lang.reflect.Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> null));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  private <T extends AutoCloseable> T opened(T closeable) {
    open.push(closeable);
    return closeable;
  }
}
