package dev.kv.kotlin

import dev.kv.admin.DBStats
import kotlin.time.Duration
import kotlin.time.Duration.Companion.microseconds

/** The time that compactions into this level took. */
public val DBStats.Level.compactionTime: Duration
    get() = compactionMicros.microseconds

/** The time that all slowed or stopped writes waited. */
public val DBStats.WriteStalls.time: Duration
    get() = micros.microseconds
