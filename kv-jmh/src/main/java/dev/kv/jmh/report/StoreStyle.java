package dev.kv.jmh.report;

/** The name and the colour that a store has in every chart. */
enum StoreStyle {
  // Colours that people with any colour vision tell apart, by Okabe and Ito
  KV("kv", "#000000"),
  LEVELDBJNI("C++ LevelDB behind JNI", "#0072b2"),
  LMDB("LMDB", "#d55e00"),
  ROCKSDB("RocksDB", "#009e73"),
  IQ80("iq80", "#cc79a7"),
  MVSTORE("MVStore", "#e69f00"),
  XODUS("Xodus", "#56b4e9"),
  MAPDB("MapDB", "#8c6d31");

  private static final String UNKNOWN = "#666666";

  private final String title;
  private final String colour;

  StoreStyle(String title, String colour) {
    this.title = title;
    this.colour = colour;
  }

  /** Returns the name in charts of a store with the given name in db_bench or in charts. */
  static String titleOf(String store) {
    for (StoreStyle style : values()) {
      if (style.name().equalsIgnoreCase(store)) {
        return style.title;
      }
    }
    return store;
  }

  /** Returns the colour of a store with the given name in charts. */
  static String colourOf(String title) {
    for (StoreStyle style : values()) {
      if (style.title.equals(title)) {
        return style.colour;
      }
    }
    return UNKNOWN;
  }
}
