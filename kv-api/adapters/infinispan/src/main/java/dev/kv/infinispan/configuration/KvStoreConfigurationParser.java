package dev.kv.infinispan.configuration;

import dev.kv.options.CompressionType;
import java.util.Locale;
import org.infinispan.commons.CacheConfigurationException;
import org.infinispan.commons.configuration.io.ConfigurationReader;
import org.infinispan.configuration.parsing.CacheParser;
import org.infinispan.configuration.parsing.ConfigurationBuilderHolder;
import org.infinispan.configuration.parsing.ConfigurationParser;
import org.infinispan.configuration.parsing.Namespace;
import org.infinispan.configuration.parsing.ParseUtils;
import org.infinispan.configuration.parsing.Parser;

/**
 * Reads the element {@code kv-store} in the persistence of a cache. Infinispan finds it as a
 * service.
 */
@Namespace(root = KvStoreConfigurationParser.ROOT)
@Namespace(uri = KvStoreConfigurationParser.NAMESPACE + "*", root = KvStoreConfigurationParser.ROOT)
public final class KvStoreConfigurationParser implements ConfigurationParser {
  static final String ROOT = "kv-store";
  static final String NAMESPACE = Parser.NAMESPACE + "store:kv:";

  /** Creates a parser. Infinispan calls this. */
  public KvStoreConfigurationParser() {}

  @Override
  public void readElement(ConfigurationReader reader, ConfigurationBuilderHolder holder) {
    if (!reader.getLocalName().equals(ROOT)) {
      throw ParseUtils.unexpectedElement(reader);
    }
    KvStoreConfigurationBuilder builder =
        holder
            .getCurrentConfigurationBuilder()
            .persistence()
            .addStore(KvStoreConfigurationBuilder.class);
    String path = null;
    String relativeTo = null;
    for (int i = 0; i < reader.getAttributeCount(); i++) {
      ParseUtils.requireNoNamespaceAttribute(reader, i);
      String value = reader.getAttributeValue(i);
      switch (reader.getAttributeName(i)) {
        case "path" -> path = value;
        case "relative-to" -> relativeTo = ParseUtils.requireAttributeProperty(reader, i);
        case "memory" -> builder.memory(value);
        case "compression" -> builder.compression(compression(value));
        case "sync-writes" -> builder.syncWrites(ParseUtils.parseBoolean(reader, i, value));
        default -> CacheParser.parseStoreAttribute(reader, i, builder);
      }
    }
    String location = ParseUtils.resolvePath(path, relativeTo);
    if (location != null) {
      builder.location(location);
    }
    while (reader.inTag()) {
      CacheParser.parseStoreElement(reader, builder);
    }
  }

  private static CompressionType compression(String value) {
    try {
      return CompressionType.valueOf(value.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new CacheConfigurationException("kv-store has no compression " + value, e);
    }
  }

  @Override
  public Namespace[] getNamespaces() {
    return ParseUtils.getNamespaceAnnotations(getClass());
  }
}
