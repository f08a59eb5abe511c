package dev.kv.streams.broker;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyConfig;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.state.WindowStore;

/**
 * Topologies of the DSL whose stores have no supplier of their own, so that the configuration says
 * what they are. They read the topic {@link #INPUT}.
 */
enum Topologies {
  /** Counts the records of each key in the store {@link #COUNTS}. */
  COUNT {
    @Override
    void add(
        StreamsBuilder builder,
        String application,
        FixedKeyProcessorSupplier<String, String, String> watch) {
      input(builder)
          .processValues(watch)
          .groupByKey()
          .count(Materialized.as(COUNTS))
          .toStream()
          .mapValues(count -> Long.toString(count))
          .to(output(application, COUNTS));
    }
  },

  /** Counts by key, by window and by session, and joins the stream with another one. */
  EVERYTHING {
    @Override
    void add(
        StreamsBuilder builder,
        String application,
        FixedKeyProcessorSupplier<String, String, String> watch) {
      KStream<String, String> input = input(builder).processValues(watch);
      KGroupedStream<String, String> grouped =
          input.groupByKey(Grouped.with(Serdes.String(), Serdes.String()));
      grouped
          .count(Materialized.as(COUNTS))
          .toStream()
          .mapValues(count -> Long.toString(count))
          .to(output(application, COUNTS));
      out(grouped.windowedBy(HOPS).count(Materialized.as(WINDOWS)), output(application, WINDOWS));
      out(
          grouped
              .windowedBy(MINUTES)
              .emitStrategy(EmitStrategy.onWindowClose())
              .count(
                  Materialized.<String, Long, WindowStore<Bytes, byte[]>>as(CLOSED)
                      .withRetention(Duration.ofHours(2))),
          output(application, CLOSED));
      out(
          grouped.windowedBy(SESSION).count(Materialized.as(SESSIONS)),
          output(application, SESSIONS));
      input
          .outerJoin(
              builder.<String, String>stream(OTHER),
              (left, right) -> left + "&" + right,
              JoinWindows.ofTimeDifferenceAndGrace(Duration.ofSeconds(5), Duration.ofMinutes(30)),
              StreamJoined.as(JOINED))
          .to(output(application, JOINED));
    }
  };

  static final String INPUT = "input";
  static final String OTHER = "other";
  static final String COUNTS = "counts";
  static final String WINDOWS = "windows";
  static final String CLOSED = "closed";
  static final String SESSIONS = "sessions";
  static final String JOINED = "joined";

  /** The stores of {@link #EVERYTHING}. */
  static final List<String> STORES = List.of(COUNTS, WINDOWS, CLOSED, SESSIONS, JOINED);

  private static final TimeWindows HOPS =
      TimeWindows.ofSizeAndGrace(Duration.ofSeconds(60), Duration.ofMinutes(5))
          .advanceBy(Duration.ofSeconds(30));
  private static final TimeWindows MINUTES =
      TimeWindows.ofSizeAndGrace(Duration.ofMinutes(1), Duration.ofSeconds(10));
  private static final SessionWindows SESSION =
      SessionWindows.ofInactivityGapAndGrace(Duration.ofSeconds(20), Duration.ofMinutes(5));

  abstract void add(
      StreamsBuilder builder,
      String application,
      FixedKeyProcessorSupplier<String, String, String> watch);

  /** Returns the topic to which an application writes what is in one of its stores. */
  static String output(String application, String store) {
    return application + "-" + store;
  }

  /**
   * Returns the topology.
   *
   * @param watch sees each record before the stores do
   */
  Topology build(Properties config, FixedKeyProcessorSupplier<String, String, String> watch) {
    StreamsBuilder builder = new StreamsBuilder(new TopologyConfig(new StreamsConfig(config)));
    add(builder, config.getProperty(StreamsConfig.APPLICATION_ID_CONFIG), watch);
    return builder.build(config);
  }

  private static KStream<String, String> input(StreamsBuilder builder) {
    return builder.stream(INPUT);
  }

  private static void out(KTable<Windowed<String>, Long> table, String topic) {
    table
        .toStream()
        .selectKey(
            (key, count) -> key.key() + "@" + key.window().start() + "-" + key.window().end())
        .mapValues(count -> count == null ? null : Long.toString(count))
        .to(topic);
  }
}
