package dev.kv.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What wraps an environment or one of its files hands on every call as it is, and what comes back.
 */
class ForwardingTest {
  private final List<List<Object>> calls = new ArrayList<>();
  private int results;

  @ParameterizedTest
  @ValueSource(
      classes = {
        ForwardingEnv.class,
        ForwardingSequentialFile.class,
        ForwardingRandomAccessFile.class,
        ForwardingWritableFile.class,
        ForwardingMappedLogFile.class
      })
  void everyCall_goesToTheTarget(Class<?> wrapper) throws Exception {
    Class<?> type = wrapper.getInterfaces()[0];
    Object target =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, args) -> answer(method, args));
    Object forwarding = wrapper.getConstructor(type).newInstance(target);
    for (Method method : type.getMethods()) {
      if (!Modifier.isStatic(method.getModifiers())) {
        Object[] args = Arrays.stream(method.getParameterTypes()).map(this::value).toArray();
        calls.clear();
        Object result = method.invoke(forwarding, args);
        assertThat(calls).as("%s", method).containsExactly(call(method, args));
        assertThat(result).isEqualTo(returned(method.getReturnType(), results));
      }
    }
  }

  private @Nullable Object answer(Method method, Object @Nullable [] args) {
    calls.add(call(method, args == null ? new Object[0] : args));
    return returned(method.getReturnType(), ++results);
  }

  private static List<Object> call(Method method, Object[] args) {
    List<Object> call = new ArrayList<>(List.of(method.getName()));
    call.addAll(Arrays.asList(args));
    return call;
  }

  private static @Nullable Object returned(Class<?> type, int result) {
    if (type == int.class) {
      return result;
    }
    if (type == long.class) {
      return (long) result;
    }
    if (type == boolean.class) {
      return true;
    }
    return type == List.class ? List.of("result " + result) : null;
  }

  private Object value(Class<?> type) {
    int next = ++results;
    if (type == int.class) {
      return next;
    }
    if (type == long.class) {
      return (long) next;
    }
    if (type == boolean.class) {
      return true;
    }
    if (type == Path.class) {
      return Path.of("file" + next);
    }
    if (type == ByteBuffer.class) {
      return ByteBuffer.allocate(next);
    }
    return type == String.class ? "name " + next : (Runnable) () -> {};
  }
}
