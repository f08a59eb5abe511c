package dev.kv.core;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A test that cuts a file short while it is mapped, which not every platform survives. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "mapped files are not truncated there")
@DisabledIfSystemProperty(
    named = "os.arch",
    matches = "aarch64",
    disabledReason = "the JVM ends if a large copy meets a missing page")
public @interface CutsMappedFile {}
