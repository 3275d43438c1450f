-- |
-- Module      : Published
-- Description : Figures that others have published
--
-- They were measured on another machine, and are not measured again here.
module Published
  ( Published (..),
    published,
    publishedNote,
  )
where

-- | A library of another language, at a workload of ours.
data Published = Published
  { publishedLibrary :: String,
    -- | In ns.
    publishedTime :: Double,
    -- | The bytes of its output.
    publishedOutput :: Int,
    -- | The same compressed.
    publishedZlib :: Int
  }

-- | What there is for a workload.
published :: String -> [Published]
published workload =
  [ Published (library ++ ", published") time output zlib
    | (name, rows) <- dataSets,
      (library, serialize, deserialize, output, zlib) <- rows,
      (verb, time) <- [("serialize", serialize), ("deserialize", deserialize)],
      workload == verb ++ " " ++ name
  ]

-- | Where the figures are from, and what differs.
publishedNote :: String
publishedNote =
  "\8220Published\8221 are libraries of Rust, from rust_serialization_benchmark (D. Koloski) of \
  \October 5, 2026: an AMD EPYC 7763 in a virtual machine, rustc 1.101 nightly, criterion's \
  \estimate of the mean. Another machine, another statistic: compare orders of magnitude, with the \
  \codec in C++, which ran here, as calibration. The sizes are exact: the data are the same. The \
  \compressor is another (libflate)."

-- For each data set: the library, the times to serialize and to deserialize, and the sizes.
dataSets :: [(String, [(String, Double, Double, Int, Int)])]
dataSets =
  [ ( "log",
      [ ("wincode", 191410, 1820700, 1045784, 373127),
        ("bitcode", 146230, 1462700, 703710, 288826),
        ("rkyv, validated", 251610, 1920200, 1011488, 393526),
        ("borsh", 538000, 2179400, 885780, 362204),
        ("postcard", 415580, 2338500, 724953, 302399),
        ("prost", 2462600, 3430000, 884628, 363130),
        ("serde_json", 3630400, 6196300, 1827461, 470560)
      ]
    ),
    ( "mesh",
      [ ("wincode", 150150, 191070, 6000008, 5378500),
        ("bitcode", 1386700, 699820, 6000006, 5182295),
        ("rkyv, validated", 199200, 221600, 6000008, 5378500),
        ("borsh", 5757700, 4338400, 6000004, 5378496),
        ("postcard", 514580, 6551300, 6000003, 5378495),
        ("prost", 8820700, 14534000, 8750000, 6665735),
        ("serde_json", 86367000, 102520000, 26192883, 9566084)
      ]
    ),
    ( "minecraft_savedata",
      [ ("wincode", 232250, 1778300, 566975, 239350),
        ("bitcode", 127790, 1282400, 327688, 200947),
        ("rkyv, validated", 330400, 1860900, 603776, 254776),
        ("borsh", 522010, 1826300, 446595, 234236),
        ("postcard", 433090, 2161500, 367489, 221913),
        ("prost", 2981700, 3597200, 596811, 305319),
        ("serde_json", 3538500, 7195200, 1623191, 466527)
      ]
    ),
    ( "mk48",
      [ ("wincode", 640250, 2301700, 1791489, 1127998),
        ("bitcode", 691940, 2350600, 971318, 878034),
        ("rkyv, validated", 974230, 2658500, 2075936, 1383779),
        ("borsh", 2712200, 2868700, 1521989, 1108471),
        ("postcard", 1801200, 4454000, 1311281, 1083900),
        ("prost", 9378700, 9594300, 1859886, 1338076),
        ("serde_json", 19186000, 33502000, 9390461, 2391679)
      ]
    )
  ]
