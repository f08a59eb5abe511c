package example;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kv.errors.DBException;
import dev.kv.DBIterator;
import dev.kv.ReadOptions;
import dev.kv.netty.ByteBufBatch;
import dev.kv.netty.ByteBufDB;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.redis.ArrayRedisMessage;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.IntegerRedisMessage;
import io.netty.handler.codec.redis.RedisMessage;
import io.netty.handler.codec.redis.SimpleStringRedisMessage;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;

/**
 * Runs the commands of all connections. The keys and values of a command are slices of what was
 * received, and the values of a reply are memory of the block cache; Netty releases both.
 */
@Sharable
final class CommandHandler extends SimpleChannelInboundHandler<RedisMessage> {
  private static final String FIRST_CURSOR = "0";
  private static final int DEFAULT_COUNT = 10;
  private static final int MAX_COUNT = 10_000;

  private final ByteBufDB db;

  CommandHandler(ByteBufDB db) {
    super(RedisMessage.class);
    this.db = db;
  }

  /** A command that cannot be run; the message is the reply. */
  private static final class CommandException extends Exception {
    private static final long serialVersionUID = 1;

    CommandException(String message) {
      super(message, null, false, false);
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, RedisMessage message) {
    RedisMessage reply;
    try {
      reply = run(words(message));
    } catch (CommandException e) {
      reply = new ErrorRedisMessage("ERR " + e.getMessage());
    } catch (DBException e) {
      reply = new ErrorRedisMessage("ERR " + e.getMessage().replaceAll("[\r\n]", " "));
    }
    context.writeAndFlush(reply);
  }

  /** Returns the words of a command, which are valid until the message is released. */
  private static List<ByteBuf> words(RedisMessage message) throws CommandException {
    if (!(message instanceof ArrayRedisMessage array) || array.children().isEmpty()) {
      throw new CommandException("a command is an array of bulk strings");
    }
    List<ByteBuf> words = new ArrayList<>();
    for (RedisMessage word : array.children()) {
      if (!(word instanceof FullBulkStringRedisMessage string) || string.isNull()) {
        throw new CommandException("a command is an array of bulk strings");
      }
      words.add(string.content());
    }
    return words;
  }

  private RedisMessage run(List<ByteBuf> words) throws CommandException {
    String name = words.get(0).toString(UTF_8).toUpperCase(Locale.ROOT);
    List<ByteBuf> arguments = words.subList(1, words.size());
    return switch (name) {
      case "PING" -> new SimpleStringRedisMessage("PONG");
      case "GET" -> get(require(1, arguments).get(0));
      case "SET" -> set(require(2, arguments));
      case "DEL" -> delete(requireSome(arguments));
      case "MGET" -> getAll(requireSome(arguments));
      case "SCAN" -> scan(requireSome(arguments));
      default -> throw new CommandException("unknown command '" + printable(name) + "'");
    };
  }

  private static String printable(String text) {
    return text.replaceAll("[^ -~]", "?");
  }

  private static List<ByteBuf> require(int count, List<ByteBuf> arguments) throws CommandException {
    if (arguments.size() != count) {
      throw new CommandException("wrong number of arguments");
    }
    return arguments;
  }

  private static List<ByteBuf> requireSome(List<ByteBuf> arguments) throws CommandException {
    if (arguments.isEmpty()) {
      throw new CommandException("wrong number of arguments");
    }
    return arguments;
  }

  /** The encoder passes the value on to the socket, which releases it after the write. */
  private RedisMessage get(ByteBuf key) {
    ByteBuf value = db.retained(key);
    return value == null
        ? FullBulkStringRedisMessage.NULL_INSTANCE
        : new FullBulkStringRedisMessage(value);
  }

  private RedisMessage getAll(List<ByteBuf> keys) {
    List<RedisMessage> values = new ArrayList<>();
    try {
      keys.forEach(key -> values.add(get(key)));
      return new ArrayRedisMessage(values);
    } catch (RuntimeException e) {
      values.forEach(ReferenceCountUtil::release);
      throw e;
    }
  }

  private RedisMessage set(List<ByteBuf> keyAndValue) {
    db.put(keyAndValue.get(0), keyAndValue.get(1));
    return new SimpleStringRedisMessage("OK");
  }

  /** The count may be wrong if another connection writes the same keys meanwhile. */
  private RedisMessage delete(List<ByteBuf> keys) {
    long count = 0;
    ByteBufBatch batch = ByteBufBatch.create();
    for (ByteBuf key : new LinkedHashSet<>(keys)) { // DEL k k deletes one key
      count += db.store().find(ByteBufUtil.getBytes(key), value -> 1).orElse(0);
      batch.delete(key);
    }
    db.write(batch);
    return new IntegerRedisMessage(count);
  }

  /**
   * Returns a page of keys: {@code SCAN cursor [MATCH prefix*] [COUNT count]}. The cursor is the
   * first key of the next page, so the server keeps nothing between the pages.
   */
  private RedisMessage scan(List<ByteBuf> arguments) throws CommandException {
    ReadOptions.Builder options = ReadOptions.builder();
    int count = DEFAULT_COUNT;
    for (int i = 1; i + 1 < arguments.size(); i += 2) {
      String name = arguments.get(i).toString(UTF_8).toUpperCase(Locale.ROOT);
      ByteBuf value = arguments.get(i + 1);
      switch (name) {
        case "MATCH" -> options.prefix(prefix(value));
        case "COUNT" -> count = count(value.toString(UTF_8));
        default -> throw new CommandException("SCAN has MATCH and COUNT");
      }
    }
    List<RedisMessage> keys = new ArrayList<>();
    String next = FIRST_CURSOR;
    try (DBIterator cursor = db.store().iterator(options.build())) {
      moveTo(cursor, arguments.get(0).toString(UTF_8));
      for (; cursor.isValid() && keys.size() < count; cursor.next()) {
        keys.add(string(cursor.key()));
      }
      if (cursor.isValid()) {
        next = HexFormat.of().formatHex(cursor.key());
      }
    }
    RedisMessage position = string(next.getBytes(UTF_8));
    return new ArrayRedisMessage(List.of(position, new ArrayRedisMessage(keys)));
  }

  private static void moveTo(DBIterator cursor, String from) throws CommandException {
    if (from.equals(FIRST_CURSOR)) {
      cursor.seekToFirst();
      return;
    }
    try {
      cursor.seek(HexFormat.of().parseHex(from));
    } catch (IllegalArgumentException e) {
      throw new CommandException("invalid cursor");
    }
  }

  /** Returns the text before the star, which must be the last character and the only wildcard. */
  private static byte[] prefix(ByteBuf pattern) throws CommandException {
    String text = pattern.toString(UTF_8);
    String prefix = text.substring(0, Math.max(0, text.length() - 1));
    if (!text.endsWith("*") || prefix.matches(".*[*?\\[\\]\\\\].*")) {
      throw new CommandException("MATCH takes a prefix and a star");
    }
    return prefix.getBytes(UTF_8);
  }

  private static int count(String text) throws CommandException {
    try {
      return Math.max(1, Math.min(Integer.parseInt(text), MAX_COUNT));
    } catch (NumberFormatException e) {
      throw new CommandException("COUNT is a number");
    }
  }

  private static RedisMessage string(byte[] bytes) {
    return new FullBulkStringRedisMessage(Unpooled.wrappedBuffer(bytes));
  }

  /** What is not Redis' protocol ends the connection. */
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }
}
