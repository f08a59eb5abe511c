package dev.kv.backup;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kv.errors.CorruptionException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The list of the files of one backup, stored as a text file.
 *
 * <pre>
 *   catalog  := "kv backup 2\\n"
 *               "number " number "\\n"           of the backup, as in the name of the catalog
 *               "created " instant "\\n"          ISO 8601, UTC
 *               "sequence " number "\\n"
 *               "added " number "\\n"             bytes that earlier backups did not have
 *               ("file " name " " size " " checksum "\\n")*
 *               "checksum " checksum "\\n"        CRC32C of all lines before
 *   checksum := 8 hexadecimal digits
 *   name     := the name of a file of a database, without a directory
 * </pre>
 *
 * <p>A catalog that begins with {@code kv backup 1} has no line with the number.
 *
 * @param backup what the list describes
 * @param files the files, in the order in which they were stored
 */
record Catalog(Backup backup, List<StoredFile> files) {
  private static final String HEADER = "kv backup 2";
  private static final String WITHOUT_NUMBER = "kv backup 1";

  /** The names of files of databases, as a regular expression. */
  static final String NAME = "CURRENT|MANIFEST-[0-9]{1,19}|[0-9]{1,19}\\.(?:ldb|sst|log)";

  private static final Pattern FILE =
      Pattern.compile("file (" + NAME + ") ([0-9]{1,18}) ([0-9a-f]{8})");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");
  private static final Pattern CHECKSUM = Pattern.compile("[0-9a-f]{8}");

  Catalog {
    files = List.copyOf(files);
  }

  byte[] encode() {
    StringBuilder text = new StringBuilder(HEADER).append('\n');
    text.append("number ").append(backup.number()).append('\n');
    text.append("created ").append(backup.created()).append('\n');
    text.append("sequence ").append(backup.sequence()).append('\n');
    text.append("added ").append(backup.addedBytes()).append('\n');
    for (StoredFile file : files) {
      text.append("file ").append(file.name()).append(' ').append(file.size()).append(' ');
      text.append(HexFormat.of().toHexDigits(file.checksum())).append('\n');
    }
    String lines = text.toString();
    return (lines + "checksum " + checksum(lines) + "\n").getBytes(US_ASCII);
  }

  /**
   * Decodes the list of a backup.
   *
   * @param file the path, for messages
   * @throws CorruptionException if it is damaged
   */
  static Catalog decode(byte[] bytes, long number, String file) {
    String text = new String(bytes, US_ASCII);
    int end = text.lastIndexOf("checksum ");
    if (end <= 0
        || !text.endsWith("\n")
        || !matches(CHECKSUM, text.substring(end + 9, text.length() - 1))
        || !text.substring(end + 9, text.length() - 1).equals(checksum(text.substring(0, end)))) {
      throw damaged("its checksum does not match", file);
    }
    String[] lines = text.substring(0, end).split("\n", -1);
    int at = 1;
    if (lines[0].equals(HEADER)) {
      String own = field(lines, at++, "number ", file);
      if (!own.equals(Long.toString(number))) {
        throw damaged("it is the list of backup " + own, file);
      }
    } else if (!lines[0].equals(WITHOUT_NUMBER)) {
      throw damaged("it does not begin with '" + HEADER + "'", file);
    }
    Instant created = instant(field(lines, at++, "created ", file), file);
    long sequence = number(field(lines, at++, "sequence ", file), file);
    long added = number(field(lines, at++, "added ", file), file);
    List<StoredFile> files = new ArrayList<>();
    long total = 0;
    while (at < lines.length - 1) {
      StoredFile stored = file(lines[at++], file);
      files.add(stored);
      total += stored.size();
      if (total < 0) {
        throw damaged("its files are larger than any disk", file);
      }
    }
    return new Catalog(new Backup(number, created, sequence, files.size(), total, added), files);
  }

  private static StoredFile file(String line, String file) {
    Matcher matcher = FILE.matcher(line);
    if (!matcher.matches()) {
      throw damaged("a line names no file of a database", file);
    }
    return new StoredFile(
        matcher.group(1),
        Long.parseLong(matcher.group(2)),
        HexFormat.fromHexDigits(matcher.group(3)));
  }

  private static String field(String[] lines, int at, String name, String file) {
    if (at >= lines.length || !lines[at].startsWith(name)) {
      throw damaged("there is no line '" + name.trim() + "'", file);
    }
    return lines[at].substring(name.length());
  }

  private static long number(String text, String file) {
    if (!matches(NUMBER, text)) {
      throw damaged("a number is malformed", file);
    }
    return Long.parseLong(text);
  }

  private static Instant instant(String text, String file) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw new CorruptionException(
          "the list of a backup is damaged: its time is malformed",
          file,
          CorruptionException.NO_OFFSET,
          e);
    }
  }

  private static boolean matches(Pattern pattern, String text) {
    return pattern.matcher(text).matches();
  }

  private static String checksum(String lines) {
    CRC32C checksum = new CRC32C();
    byte[] bytes = lines.getBytes(US_ASCII);
    checksum.update(bytes, 0, bytes.length);
    return HexFormat.of().toHexDigits((int) checksum.getValue());
  }

  private static CorruptionException damaged(String what, String file) {
    return new CorruptionException(
        "the list of a backup is damaged: " + what, file, CorruptionException.NO_OFFSET);
  }
}
