package dev.kv.infinispan.configuration;

import dev.kv.options.CompressionType;
import java.util.Objects;
import org.infinispan.commons.CacheConfigurationException;
import org.infinispan.commons.configuration.attributes.AttributeSet;
import org.infinispan.commons.util.ByteQuantity;
import org.infinispan.configuration.cache.AbstractStoreConfigurationBuilder;
import org.infinispan.configuration.cache.PersistenceConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfiguration;
import org.infinispan.persistence.PersistenceUtil;

/**
 * Builds the configuration of a {@link dev.kv.infinispan.KvStore}. Not thread-safe.
 *
 * <pre>{@code
 * new ConfigurationBuilder().persistence().addStore(KvStoreConfigurationBuilder.class)
 *     .location("/var/lib/app").segmented(true);
 * }</pre>
 */
public final class KvStoreConfigurationBuilder
    extends AbstractStoreConfigurationBuilder<KvStoreConfiguration, KvStoreConfigurationBuilder> {

  /**
   * Creates a builder with the defaults. Infinispan calls this.
   *
   * @param builder the builder of the persistence of a cache
   */
  public KvStoreConfigurationBuilder(PersistenceConfigurationBuilder builder) {
    super(builder, KvStoreConfiguration.attributeDefinitionSet());
  }

  /**
   * Sets the directory in which the store has the directory of its cache. If the cache manager has
   * a global state, a path is below its persistent location, and is not needed.
   *
   * @param location the path
   * @return this builder
   */
  public KvStoreConfigurationBuilder location(String location) {
    attributes.attribute(KvStoreConfiguration.PATH).set(location);
    return this;
  }

  /**
   * Sets the limit for the off-heap memory of all stores on kv of the cache manager together. The
   * first store that is started decides.
   *
   * @param memory a number of bytes, or a quantity such as {@code 256 MiB}, the default
   * @return this builder
   */
  public KvStoreConfigurationBuilder memory(String memory) {
    attributes.attribute(KvStoreConfiguration.MEMORY).set(Objects.requireNonNull(memory, "memory"));
    return this;
  }

  /**
   * Sets the compression of the tables.
   *
   * @param compression the compression
   * @return this builder
   */
  public KvStoreConfigurationBuilder compression(CompressionType compression) {
    attributes
        .attribute(KvStoreConfiguration.COMPRESSION)
        .set(Objects.requireNonNull(compression, "compression"));
    return this;
  }

  /**
   * Sets whether each write is durable before it completes.
   *
   * @param syncWrites true if a write survives a loss of power; false, the default, if it survives
   *     the death of the process
   * @return this builder
   */
  public KvStoreConfigurationBuilder syncWrites(boolean syncWrites) {
    attributes.attribute(KvStoreConfiguration.SYNC_WRITES).set(syncWrites);
    return this;
  }

  @Override
  public void validate() {
    super.validate();
    String memory = attributes.attribute(KvStoreConfiguration.MEMORY).get();
    long bytes;
    try {
      bytes = ByteQuantity.parse(memory);
    } catch (IllegalArgumentException e) {
      throw new CacheConfigurationException("memory of kv-store is no quantity: " + memory, e);
    }
    if (bytes < KvStoreConfiguration.MIN_MEMORY) {
      throw new CacheConfigurationException(
          "memory of kv-store is " + memory + ", must be at least 16 MiB");
    }
  }

  @Override
  public void validate(GlobalConfiguration globalConfig) {
    PersistenceUtil.validateGlobalStateStoreLocation(
        globalConfig,
        KvStoreConfiguration.class.getSimpleName(),
        attributes.attribute(KvStoreConfiguration.PATH));
    super.validate(globalConfig);
  }

  @Override
  public KvStoreConfiguration create() {
    return new KvStoreConfiguration(attributes.protect(), async.create());
  }

  @Override
  public AttributeSet attributes() {
    return attributes;
  }

  @Override
  public KvStoreConfigurationBuilder self() {
    return this;
  }
}
