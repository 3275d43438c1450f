{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Keys
-- Description : query, the value of a key
module Tests.Keys (tests) where

import Ashlar.Codec (Codec)
import Ashlar.Codec.Packed (Pack, Packed (..))
import Ashlar.Codec.Wrappers (BigEndian (..), Varint (..))
import Ashlar.File hiding (Outcome)
import Ashlar.File.Described
import Ashlar.Schema (Described)
import Data.Fixed (Centi)
import Data.Int (Int16)
import Data.IntMap (IntMap)
import qualified Data.IntMap as IM
import Data.Map (Map)
import qualified Data.Map as M
import Data.Text (Text)
import Data.Word (Word64)
import GHC.Generics (Generic)
import Numeric.Natural (Natural)
import System.FilePath ((</>))
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Run

data Color = Red | Green | Dark Bool
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described)

newtype Shade = Shade Color
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described)

data Side = L | R
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described, Pack)

data Maps = Maps
  { im :: IntMap Text,
    big :: Map Integer Text,
    nat :: Map Natural Text,
    word :: Map Word64 Text,
    varint :: Map (Varint Int16) Text,
    other :: Map (BigEndian Int16) Text,
    fixed :: Map Centi Text,
    colors :: Map Color Text,
    shades :: Map Shade Text,
    sides :: Packed (Map Side Text),
    bools :: Map Bool Text,
    chars :: Map Char Text,
    deep :: Map Int (Maybe (Map Side [Text]))
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

maps :: Maps
maps =
  Maps
    { im = IM.fromList [(-1, "a"), (42, "b")],
      big = M.fromList [(-(2 ^ (100 :: Int)), "a"), (0, "b")],
      nat = M.fromList [(7, "a")],
      word = M.fromList [(maxBound, "a")],
      varint = M.fromList [(Varint (-3), "a"), (Varint 3, "b")],
      other = M.fromList [(BigEndian (-300), "a")],
      fixed = M.fromList [(1, "a")],
      colors = M.fromList [(Red, "a"), (Dark True, "b")],
      shades = M.fromList [(Shade Green, "a")],
      sides = Packed (M.fromList [(L, "a"), (R, "b")]),
      bools = M.fromList [(False, "a"), (True, "b")],
      chars = M.fromList [('x', "a"), ('"', "b")],
      deep = M.fromList [(1, Just (M.fromList [(R, ["a", "b"])])), (2, Nothing)]
    }

tests :: TestTree
tests =
  testGroup
    "query: the value of a key"
    [ testCase "is found, or not there" . withMaps $ \query ->
        mapM_
          (\(path, found) -> query path `gives` (0, map (show @Text) found, []))
          [ (".im{-1}", ["a"]),
            (".im{42}", ["b"]),
            (".im{042}", ["b"]),
            (".im{1}", []),
            (".big{-1267650600228229401496703205376}", ["a"]),
            (".big{-0}", ["b"]),
            (".nat{7}", ["a"]),
            (".nat{-7}", []),
            (".word{18446744073709551615}", ["a"]),
            (".varint{-3}", ["a"]),
            (".other{-300}", ["a"]),
            (".colors{Red}", ["a"]),
            (".colors{Green}", []),
            (".shades{Green}", ["a"]),
            (".sides{R}", ["b"]),
            (".bools{True}", ["b"]),
            (".bools{False}", ["a"]),
            (".chars{\"x\"}", ["a"]),
            (".chars{\"\\\"\"}", ["b"]),
            (".chars{\"xx\"}", []),
            (".deep{1}{R}[1]", ["b"]),
            (".deep{2}{R}[]", [])
          ],
      testCase "cannot be there" . withMaps $ \query ->
        mapM_
          ( \(path, there) ->
              query path
                `gives` (2, [], ["ashlar: maps: there is no " ++ path ++ "; there is " ++ there])
          )
          [ (".im{\"42\"}", "{}, {key}"),
            (".im{Red}", "{}, {key}"),
            (".fixed{1}", "{}, {key}"),
            (".colors{\"Red\"}", "{}, {key}, {Red}, {Green}"),
            (".colors{Dark}", "{}, {key}, {Red}, {Green}"),
            (".colors{1}", "{}, {key}, {Red}, {Green}"),
            (".bools{Red}", "{}, {key}, {False}, {True}")
          ]
    ]

withMaps :: ((String -> IO Outcome) -> IO a) -> IO a
withMaps act = inFolder $ \folder -> do
  writeRecords described (folder </> "maps") [maps]
  act (\path -> ashlar folder ["query", folder </> "maps", path])
