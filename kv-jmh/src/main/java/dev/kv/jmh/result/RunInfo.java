package dev.kv.jmh.result;

/**
 * Where, when and how a run was made.
 *
 * @param date when it began
 * @param machine processor, number of cores, memory
 * @param system the operating system
 * @param java the Java virtual machine
 * @param command the command line, without the program
 * @param version the version of kv
 */
public record RunInfo(
    String date, String machine, String system, String java, String command, String version) {}
