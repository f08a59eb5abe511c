package dev.kv.tools.shell;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits a line of the shell into words, which blanks outside quotes separate. Quotes may stand
 * anywhere in a word, are not a part of it, and have no escapes; an empty word needs them. A parser
 * for completion would make another word of the blank before the cursor.
 */
final class Words {
  private static final char NONE = 0;

  private Words() {}

  /**
   * Returns the words of a line.
   *
   * @throws IllegalArgumentException if a quote is not closed
   */
  static List<String> of(String line) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean begun = false;
    char quote = NONE;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      boolean isQuote = quote == NONE ? c == '\'' || c == '"' : c == quote;
      if (isQuote) {
        quote = quote == NONE ? c : NONE;
        begun = true;
      } else if (quote == NONE && Character.isWhitespace(c)) {
        if (begun) {
          words.add(word.toString());
        }
        word.setLength(0);
        begun = false;
      } else {
        word.append(c);
        begun = true;
      }
    }
    if (quote != NONE) {
      throw new IllegalArgumentException("a quote is not closed");
    }
    if (begun) {
      words.add(word.toString());
    }
    return words;
  }
}
