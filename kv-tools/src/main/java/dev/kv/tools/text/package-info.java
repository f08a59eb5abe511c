/**
 * Keys, values, entries and messages as text: escaped, with real characters, in hexadecimal digits,
 * or in JSON.
 */
@NullMarked
package dev.kv.tools.text;

import org.jspecify.annotations.NullMarked;
