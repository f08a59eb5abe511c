package example;

import dev.kv.BatchOperations;
import dev.kv.DB;
import dev.kv.WriteBatch;
import dev.kv.map.Codecs;
import dev.kv.map.DBMap;
import dev.kv.map.KeyCodec;
import dev.kv.space.Space;
import dev.kv.tuple.TupleBuilder;
import dev.kv.tuple.TupleReader;
import java.time.Instant;
import java.util.List;

/** Orders, and how many each customer has: typed maps over two spaces of one database. */
final class Shop {
  /** Sorts by the customer, and then by the order. */
  private record OrderKey(long customer, String order) {
    static final KeyCodec<OrderKey> CODEC =
        KeyCodec.of(
            key -> TupleBuilder.create().add(key.customer()).add(key.order()).toByteArray(),
            bytes -> {
              TupleReader parts = TupleReader.of(bytes);
              return new OrderKey(parts.readLong(), parts.readString());
            });
  }

  private final DB db;
  private final Space orderSpace;
  private final Space countSpace;
  private final DBMap<OrderKey, Instant> orders;
  private final DBMap<Long, Long> counts;

  Shop(DB db) {
    this.db = db;
    orderSpace = Space.of(db, "order/");
    countSpace = Space.of(db, "count/");
    orders = DBMap.of(orderSpace, OrderKey.CODEC, Codecs.instants());
    counts = DBMap.of(countSpace, Codecs.longs(), Codecs.longs());
  }

  void order(long customer, String order) {
    orders.set(new OrderKey(customer, order), Instant.now());
    counts.merge(customer, 1L, Long::sum); // atomic, also beside other threads
  }

  List<String> orders(long customer) {
    return of(customer).keySet().stream().map(OrderKey::order).toList();
  }

  long count(long customer) {
    return counts.getOrDefault(customer, 0L);
  }

  /** Deletes all orders of a customer and their number, in one atomic write. */
  void forget(long customer) {
    WriteBatch batch = WriteBatch.create();
    BatchOperations inOrders = orderSpace.within(batch);
    of(customer).keySet().forEach(key -> orders.delete(inOrders, key));
    counts.delete(countSpace.within(batch), customer);
    db.write(batch);
  }

  private DBMap<OrderKey, Instant> of(long customer) {
    return orders.subMap(new OrderKey(customer, ""), new OrderKey(customer + 1, ""));
  }
}
