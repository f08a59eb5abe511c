package dev.kv.tools.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ColoursTest {
  @Test
  void colours_areUsedUnlessTheEnvironmentForbidsThem() {
    assertThat(Colours.isColoured(null, "xterm")).isTrue();
    assertThat(Colours.isColoured("", "xterm")).isTrue();
    assertThat(Colours.isColoured("1", "xterm")).isFalse();
    assertThat(Colours.isColoured(null, "dumb")).isFalse();
    assertThat(Colours.isColoured(null, null)).isFalse();
  }
}
