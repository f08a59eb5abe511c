package dev.kv.infinispan.configuration;

import dev.kv.infinispan.KvStore;
import dev.kv.options.CompressionType;
import org.infinispan.commons.configuration.BuiltBy;
import org.infinispan.commons.configuration.ConfigurationFor;
import org.infinispan.commons.configuration.attributes.AttributeDefinition;
import org.infinispan.commons.configuration.attributes.AttributeSet;
import org.infinispan.commons.util.ByteQuantity;
import org.infinispan.configuration.cache.AbstractStoreConfiguration;
import org.infinispan.configuration.cache.AsyncStoreConfiguration;
import org.infinispan.configuration.serializing.SerializedWith;
import org.jspecify.annotations.Nullable;

/** The configuration of a {@link KvStore}. Immutable. */
@BuiltBy(KvStoreConfigurationBuilder.class)
@ConfigurationFor(KvStore.class)
@SerializedWith(KvStoreConfigurationSerializer.class)
public final class KvStoreConfiguration extends AbstractStoreConfiguration<KvStoreConfiguration> {
  /** The name of the element of the store. */
  enum Element {
    KV_STORE;

    @Override
    public String toString() {
      return "kv-store";
    }
  }

  /** The default of {@link #memory}. */
  public static final String DEFAULT_MEMORY = "256 MiB";

  /** The smallest value of {@link #memory}, in bytes. */
  public static final long MIN_MEMORY = 16L << 20;

  static final AttributeDefinition<String> PATH =
      AttributeDefinition.builder("path", null, String.class).immutable().build();
  static final AttributeDefinition<String> MEMORY =
      AttributeDefinition.builder("memory", DEFAULT_MEMORY, String.class).immutable().build();
  static final AttributeDefinition<CompressionType> COMPRESSION =
      AttributeDefinition.builder("compression", CompressionType.NONE).immutable().build();
  static final AttributeDefinition<Boolean> SYNC_WRITES =
      AttributeDefinition.builder("sync-writes", false).immutable().build();

  KvStoreConfiguration(AttributeSet attributes, AsyncStoreConfiguration async) {
    super(Element.KV_STORE, attributes, async);
  }

  /**
   * Returns the attributes with their defaults.
   *
   * @return a new set
   */
  public static AttributeSet attributeDefinitionSet() {
    return new AttributeSet(
        KvStoreConfiguration.class,
        AbstractStoreConfiguration.attributeDefinitionSet(),
        PATH,
        MEMORY,
        COMPRESSION,
        SYNC_WRITES);
  }

  /**
   * Returns the directory in which the store has the directory of its cache.
   *
   * @return the path, or null for the persistent location of the global state
   */
  public @Nullable String location() {
    return attributes.attribute(PATH).get();
  }

  /**
   * Returns the limit for the off-heap memory of all stores on kv of the cache manager together.
   *
   * @return the limit in bytes
   */
  public long memory() {
    return ByteQuantity.parse(attributes.attribute(MEMORY).get());
  }

  /**
   * Returns the compression of the tables.
   *
   * @return the compression; the default is none
   */
  public CompressionType compression() {
    return attributes.attribute(COMPRESSION).get();
  }

  /**
   * Returns true if each write is durable before it completes.
   *
   * @return true if a write survives a loss of power; false, the default, if it survives the death
   *     of the process
   */
  public boolean syncWrites() {
    return attributes.attribute(SYNC_WRITES).get();
  }
}
