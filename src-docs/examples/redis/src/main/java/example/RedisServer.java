package example;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.netty.ByteBufDB;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.redis.RedisArrayAggregator;
import io.netty.handler.codec.redis.RedisBulkStringAggregator;
import io.netty.handler.codec.redis.RedisDecoder;
import io.netty.handler.codec.redis.RedisEncoder;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A server of a small part of the Redis protocol: PING, GET, SET, DEL, MGET, and SCAN by prefix. A
 * value goes from the block cache to the socket without a copy.
 *
 * <p>It listens on this machine only, and asks for no password.
 */
public final class RedisServer implements AutoCloseable {
  /** A read of a block, or a write that has to wait for a flush, must not stop a thread of I/O. */
  private static final int DATABASE_THREADS = 4;

  /** The threads end when nothing has happened for this time. */
  private static final int QUIET_MILLIS = 100;

  private static final int MOST_MILLIS = 10_000;

  private final EventLoopGroup io = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
  private final EventExecutorGroup workers = new DefaultEventExecutorGroup(DATABASE_THREADS);
  private final Channel channel;

  /**
   * Starts a server.
   *
   * @param db the database, which the caller closes after the server
   * @param port the port, or 0 for any that is free
   */
  public RedisServer(DB db, int port) {
    CommandHandler commands = new CommandHandler(ByteBufDB.of(db));
    try {
      channel =
          new ServerBootstrap()
              .group(io)
              .channel(NioServerSocketChannel.class)
              .childHandler(
                  new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel client) {
                      client
                          .pipeline()
                          .addLast(
                              new RedisDecoder(),
                              new RedisBulkStringAggregator(),
                              new RedisArrayAggregator(),
                              new RedisEncoder())
                          .addLast(workers, commands);
                    }
                  })
              .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
              .syncUninterruptibly()
              .channel();
    } catch (Throwable e) { // also what Netty throws without declaring it: the port is in use
      shutDown();
      throw e;
    }
  }

  /** Returns the port that the server listens on. */
  public int port() {
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  /** Ends all connections. Returns when no command uses the database any more. */
  @Override
  public void close() {
    channel.close().syncUninterruptibly();
    shutDown();
  }

  private void shutDown() {
    Future<?> ioEnd = io.shutdownGracefully(QUIET_MILLIS, MOST_MILLIS, TimeUnit.MILLISECONDS);
    workers.shutdownGracefully(QUIET_MILLIS, MOST_MILLIS, TimeUnit.MILLISECONDS);
    ioEnd.syncUninterruptibly();
    workers.terminationFuture().syncUninterruptibly();
  }

  /** Serves the database in a directory: {@code RedisServer DIR PORT}. */
  public static void main(String[] args) throws InterruptedException {
    Options options = Options.builder().createIfMissing(true).build();
    try (DB db = DB.open(Path.of(args[0]), options);
        RedisServer server = new RedisServer(db, Integer.parseInt(args[1]))) {
      System.out.println("listening on port " + server.port());
      server.channel.closeFuture().await();
    }
  }
}
