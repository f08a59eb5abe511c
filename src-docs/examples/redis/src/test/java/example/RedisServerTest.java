package example;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.env.Env;
import dev.kv.netty.ByteBufDB;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.redis.ArrayRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.RedisEncoder;
import io.netty.handler.codec.redis.RedisMessage;
import java.net.BindException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

/** The server as Jedis sees it, a client for Redis. */
class RedisServerTest {
  private static final int TIMEOUT_MILLIS = 60_000;

  private DB db;
  private RedisServer server;

  @BeforeEach
  void start() {
    Options options = Options.builder().createIfMissing(true).env(Env.inMemory()).build();
    db = DB.open(Path.of("database"), options);
    server = new RedisServer(db, 0);
  }

  @AfterEach
  void stop() {
    server.close();
    db.close();
  }

  private Jedis connect() {
    return new Jedis("localhost", server.port(), TIMEOUT_MILLIS);
  }

  @Test
  void getSetDelMget_fromAClient_areThoseOfRedis() {
    try (Jedis client = connect()) {
      assertEquals("PONG", client.ping());
      assertNull(client.get("name"));
      assertEquals("OK", client.set("name", "Ada"));
      assertEquals("Ada", client.get("name"));
      client.set("subject", "");
      db.admin().flush();
      assertEquals(Arrays.asList("Ada", null, ""), client.mget("name", "nobody", "subject"));
      assertEquals(2, client.del("name", "nobody", "subject"));
      assertNull(client.get("name"));
      client.set("a", "1");
      assertEquals(1, client.del("a", "a"));
    }
  }

  @Test
  void server_whosePortIsInUse_leavesNoThreads() throws InterruptedException {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    assertThrows(BindException.class, () -> new RedisServer(db, server.port()));
    Set<Thread> started = new HashSet<>(Thread.getAllStackTraces().keySet());
    started.removeAll(before);
    started.removeIf(Thread::isDaemon);
    for (Thread thread : started) {
      thread.join(TIMEOUT_MILLIS); // those of the server have done their work, and end
      assertFalse(thread.isAlive(), thread.getName());
    }
  }

  @Test
  void get_binaryValuesOfManySizes_returnsTheirBytes() {
    Random random = new Random(17);
    try (Jedis client = connect()) {
      for (int size : new int[] {0, 1, 100, 4096, 100_000, 3_000_000}) {
        byte[] key = {0, (byte) 255, (byte) size};
        byte[] value = new byte[size];
        random.nextBytes(value);
        client.set(key, value);
        assertArrayEquals(value, client.get(key));
        db.admin().flush();
        assertArrayEquals(value, client.get(key));
        assertArrayEquals(value, client.get(key));
      }
    }
  }

  @Test
  void scan_byPrefix_returnsEveryKeyOnceInPages() {
    List<String> wanted = new ArrayList<>();
    try (Jedis client = connect()) {
      for (int i = 100; i < 157; i++) {
        client.set("user:" + i, "x");
        client.set("order:" + i, "x");
        wanted.add("user:" + i);
      }
      ScanParams params = new ScanParams().match("user:*").count(10);
      List<String> found = new ArrayList<>();
      String cursor = ScanParams.SCAN_POINTER_START;
      int pages = 0;
      do {
        ScanResult<String> page = client.scan(cursor, params);
        found.addAll(page.getResult());
        cursor = page.getCursor();
        pages++;
      } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
      assertEquals(wanted, found);
      assertEquals(6, pages);
      ScanParams wildcards = new ScanParams().match("*:1*");
      assertThrows(JedisDataException.class, () -> client.scan("0", wildcards));
      assertThrows(JedisDataException.class, () -> client.scan("no cursor"));
    }
    assertEquals(0, db.admin().stats().views().iterators());
  }

  @Test
  void unknownCommand_isAnErrorAndTheConnectionGoesOn() {
    try (Jedis client = connect()) {
      assertThrows(JedisDataException.class, () -> client.incr("n"));
      assertEquals("PONG", client.ping());
    }
  }

  @Test
  void pipeline_ofManyCommands_isAnsweredInOrder() {
    try (Jedis client = connect()) {
      Pipeline pipeline = client.pipelined();
      for (int i = 0; i < 300; i++) {
        pipeline.set("key" + i, "value" + i);
        pipeline.get("key" + i);
      }
      List<Object> replies = pipeline.syncAndReturnAll();
      for (int i = 0; i < 300; i++) {
        assertEquals("OK", replies.get(2 * i));
        assertEquals("value" + i, replies.get(2 * i + 1));
      }
    }
  }

  @Test
  void clients_atTheSameTimeWhileTablesAreRewritten_getTheirOwnValues() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Void>> clients =
          Stream.of("a", "b", "c", "d").<Callable<Void>>map(name -> () -> use(name)).toList();
      for (Future<Void> client : threads.invokeAll(clients)) {
        client.get();
      }
    } finally {
      threads.shutdown();
    }
  }

  private Void use(String name) {
    try (Jedis client = connect()) {
      for (int i = 0; i < 300; i++) {
        String value = (name + i).repeat(1000);
        client.set(name, value);
        if (i % 50 == 0) {
          db.admin().flush();
        }
        assertEquals(value, client.get(name));
      }
      return null;
    }
  }

  /** What the channel writes is the memory of the block: direct, read-only, counted once. */
  @Test
  void get_cachedValue_reachesTheSocketWithoutACopy() {
    db.put("key".getBytes(UTF_8), "value".repeat(10_000).getBytes(UTF_8));
    db.admin().flush();
    db.get("key".getBytes(UTF_8));
    long before = db.admin().stats().memory().offHeap().blocks();
    EmbeddedChannel channel =
        new EmbeddedChannel(new RedisEncoder(), new CommandHandler(ByteBufDB.of(db)));
    channel.writeInbound(command("GET", "key"));
    List<ByteBuf> written = new ArrayList<>();
    for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
      written.add(part);
    }
    ByteBuf value =
        written.stream().filter(part -> part.readableBytes() == 50_000).findFirst().orElseThrow();
    assertTrue(value.isReadOnly() && value.isDirect());
    assertEquals(before, db.admin().stats().memory().offHeap().blocks());
    written.forEach(ByteBuf::release);
    assertEquals(0, value.refCnt());
    assertFalse(channel.finish());
  }

  private static RedisMessage command(String... words) {
    return new ArrayRedisMessage(
        Stream.of(words)
            .<RedisMessage>map(
                word ->
                    new FullBulkStringRedisMessage(
                        Unpooled.wrappedBuffer(word.getBytes(UTF_8))))
            .toList());
  }
}
