/** The command report: a database as one page of HTML with pictures. */
@NullMarked
package dev.kv.tools.report;

import org.jspecify.annotations.NullMarked;
