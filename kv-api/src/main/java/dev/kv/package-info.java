/** What programs that store data in kv compile against. */
@NullMarked
package dev.kv;

import org.jspecify.annotations.NullMarked;
