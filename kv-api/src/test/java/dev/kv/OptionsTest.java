package dev.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import org.junit.jupiter.api.Test;

class OptionsTest {
  private static Options.Builder builder() {
    return Options.builder();
  }

  @Test
  void builder_valuesOutOfRange_areClippedAsLevelDbDoes() {
    assertThat(builder().writeBufferSize(1).build().writeBufferSize()).isEqualTo(64 << 10);
    assertThat(builder().writeBufferSize(Integer.MAX_VALUE).build().writeBufferSize())
        .isEqualTo(1 << 30);
    assertThat(builder().maxOpenFiles(10).build().maxOpenFiles()).isEqualTo(74);
    assertThat(builder().maxOpenFiles(100_000).build().maxOpenFiles()).isEqualTo(50_000);
    assertThat(builder().blockSize(0).build().blockSize()).isEqualTo(1 << 10);
    assertThat(builder().maxFileSize(1).build().maxFileSize()).isEqualTo(1 << 20);
    assertThat(builder().zstdCompressionLevel(-100).build().zstdCompressionLevel()).isEqualTo(-5);
  }

  @Test
  void builder_nonsense_isRefused() {
    assertThatThrownBy(() -> builder().writeBufferSize(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("writeBufferSize is -1");
    assertThatThrownBy(() -> builder().blockRestartInterval(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder().offHeapLimit(-1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder().comparator(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> builder().compression(null)).isInstanceOf(NullPointerException.class);
  }

  @Test
  void toBuilder_changesOneValueAndKeepsTheRest() {
    Env env = new ForwardingEnv(unusedEnv()) {};
    Options options = builder().env(env).createIfMissing(true).maxOpenFiles(100).build();
    Options changed = options.toBuilder().reuseLogs(true).build();
    assertThat(changed.reuseLogs()).isTrue();
    assertThat(changed.createIfMissing()).isTrue();
    assertThat(changed.maxOpenFiles()).isEqualTo(100);
    assertThat(changed.env()).isSameAs(env);
    assertThat(options.reuseLogs()).isFalse();
  }

  private static Env unusedEnv() {
    return (Env)
        java.lang.reflect.Proxy.newProxyInstance(
            Env.class.getClassLoader(),
            new Class<?>[] {Env.class},
            (proxy, method, arguments) -> {
              throw new AssertionError("not to be called");
            });
  }

  @Test
  void readOptions_arrays_areCopied() {
    byte[] bound = {1};
    ReadOptions options = ReadOptions.builder().lowerBound(bound).upperBound(bound).build();
    bound[0] = 2;
    assertThat(options.lowerBound()).containsExactly(1);
    options.upperBound()[0] = 3;
    assertThat(options.upperBound()).containsExactly(1);
    assertThat(options.toBuilder().fillCache(false).build().lowerBound()).containsExactly(1);
  }
}
