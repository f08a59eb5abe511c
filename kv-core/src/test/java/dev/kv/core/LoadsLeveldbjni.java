package dev.kv.core;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** A test that opens a database with leveldbjni, whose native library is for x86 alone. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@DisabledIfSystemProperty(
    named = "os.arch",
    matches = "(?!amd64|x86|i[3-6]86).*",
    disabledReason = "leveldbjni has no library for this processor")
public @interface LoadsLeveldbjni {}
