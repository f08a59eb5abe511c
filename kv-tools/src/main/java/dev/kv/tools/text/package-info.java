/**
 * How keys, values, entries and messages stand in text: escaped, in hexadecimal digits, or in JSON.
 */
@NullMarked
package dev.kv.tools.text;

import org.jspecify.annotations.NullMarked;
