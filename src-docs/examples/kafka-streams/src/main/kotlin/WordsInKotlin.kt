package example

import dev.kv.streams.KvStores
import java.nio.file.Files
import java.util.Properties
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import org.apache.kafka.common.serialization.Serdes
import org.apache.kafka.streams.KafkaStreams
import org.apache.kafka.streams.StoreQueryParameters
import org.apache.kafka.streams.StreamsBuilder
import org.apache.kafka.streams.StreamsConfig
import org.apache.kafka.streams.kstream.Grouped
import org.apache.kafka.streams.kstream.Materialized
import org.apache.kafka.streams.state.QueryableStoreTypes

/** Counts words, as Words.java does. Here the store of one table is on kv, and no other. */
fun main() {
    LocalBroker().use { broker ->
        val config = Properties().apply {
            put(StreamsConfig.APPLICATION_ID_CONFIG, "words")
            put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, broker.address())
            put(StreamsConfig.STATE_DIR_CONFIG, Files.createTempDirectory("words").toString())
            put("auto.offset.reset", "earliest")
            put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde::class.java)
            put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde::class.java)
            put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0)
        }
        val counted = CountDownLatch(11)
        val builder = StreamsBuilder()
        builder.stream<String, String>("sentences")
            .flatMapValues { sentence -> sentence.split(" ") }
            .groupBy({ _, word -> word }, Grouped.with(Serdes.String(), Serdes.String()))
            .count(
                Materialized.`as`<String, Long>(KvStores.timestampedKeyValue("counts"))
            )
            .toStream()
            .foreach { _, _ -> counted.countDown() }

        KafkaStreams(builder.build(), config).use { streams ->
            streams.start()
            check(counted.await(60, TimeUnit.SECONDS)) { "the words were not counted" }
            val counts = streams.store(
                StoreQueryParameters.fromNameAndType(
                    "counts", QueryableStoreTypes.keyValueStore<String, Long>(),
                )
            )
            for (word in listOf("the", "log", "table", "and")) println("$word ${counts.get(word)}")
            check(counts.get("table") == 2L)
        }
    }
}
