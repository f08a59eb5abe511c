package dev.kv.netty;

import dev.kv.DB;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** A database that forwards to another one, and has the default methods of the interface. */
final class CopyingDB {
  private CopyingDB() {}

  static DB of(DB target) {
    return (DB)
        Proxy.newProxyInstance(
            DB.class.getClassLoader(),
            new Class<?>[] {DB.class},
            (proxy, method, args) ->
                method.isDefault()
                    ? java.lang.reflect.InvocationHandler.invokeDefault(proxy, method, args)
                    : forward(target, method, args));
  }

  private static @Nullable Object forward(
      DB target, java.lang.reflect.Method method, Object @Nullable [] args) throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
