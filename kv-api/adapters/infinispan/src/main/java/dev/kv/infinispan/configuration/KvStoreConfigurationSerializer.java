package dev.kv.infinispan.configuration;

import org.infinispan.commons.configuration.io.ConfigurationWriter;
import org.infinispan.commons.util.Version;
import org.infinispan.configuration.serializing.AbstractStoreSerializer;
import org.infinispan.configuration.serializing.ConfigurationSerializer;

/** Writes the configuration of a store as {@link KvStoreConfigurationParser} reads it. */
public final class KvStoreConfigurationSerializer extends AbstractStoreSerializer
    implements ConfigurationSerializer<KvStoreConfiguration> {

  /** Creates a serializer. Infinispan calls this. */
  public KvStoreConfigurationSerializer() {}

  @Override
  public void serialize(ConfigurationWriter writer, KvStoreConfiguration configuration) {
    writer.writeStartElement(KvStoreConfiguration.Element.KV_STORE);
    writer.writeDefaultNamespace(KvStoreConfigurationParser.NAMESPACE + Version.getMajorMinor());
    configuration.attributes().write(writer);
    writeCommonStoreSubAttributes(writer, configuration);
    writeCommonStoreElements(writer, configuration);
    writer.writeEndElement();
  }
}
