package dev.kv.jmh.result;

/**
 * The description of a run.
 *
 * @param date the date of its start
 * @param machine processor, number of cores, memory
 * @param system the operating system
 * @param java the JVM
 * @param command the command line, without the program
 * @param version the version of kv
 */
public record RunInfo(
    String date, String machine, String system, String java, String command, String version) {}
