{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}

-- |
-- Module      : Main
-- Description : A program written for the class of Data.Binary
--
-- A shop's stock, with derived instances and some by hand. It imports "Data.Binary",
-- "Data.Binary.Get" and "Data.Binary.Put", and knows of no others. It is compiled twice: as
-- it stands, and with the modules of this library under those names (see @mixins@ in the
-- cabal file). Both must write and read the same bytes.
module Main (main) where

import Control.Monad (replicateM, unless, when)
import Data.Binary
import Data.Binary.Get
import Data.Binary.Put
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Data.Int (Int16)
import qualified Data.Map as Map
import qualified Data.Set as Set
import GHC.Generics (Generic)
import System.Directory (getTemporaryDirectory, removeFile)
import System.Exit (exitFailure)
import System.IO (hClose, openTempFile)

data Stock = Stock
  { items :: Map.Map Key Item,
    tags :: Set.Set String,
    history :: [Event],
    ratio :: Rational,
    weight :: Double
  }
  deriving (Eq, Show, Generic)

instance Binary Stock

newtype Key = Key Word32
  deriving (Eq, Ord, Show)
  deriving newtype (Binary)

data Item = Item {label_ :: S.ByteString, count :: Int, price :: Maybe Integer}
  deriving (Eq, Show, Generic, Binary)

data Event
  = Opened
  | Sold Key Word16
  | Moved (Either Key String) (Either Key String)
  | Both Event Event
  deriving (Eq, Show, Generic, Binary)

-- By hand: a version, a short length, and little-endian numbers.
data Packet = Packet Word8 [Int16]
  deriving (Eq, Show)

instance Binary Packet where
  put (Packet version xs) = do
    putWord8 0x50
    putWord8 version
    putWord16le (fromIntegral (length xs))
    mapM_ putInt16le xs
  get = label "packet" $ do
    magic <- getWord8
    when (magic /= 0x50) $ fail "no packet"
    version <- get
    n <- getWord16le
    Packet version <$> replicateM (fromIntegral n) getInt16le

-- With a list of its own.
newtype Bit = Bit Bool
  deriving (Eq, Show)

instance Binary Bit where
  put (Bit b) = put b
  get = Bit <$> get
  putList bs = put (length bs) <> foldMap put bs

polymorphic :: (Binary a, Binary b) => a -> b -> Put
polymorphic a b = put a >> put b

stock :: Stock
stock =
  Stock
    { items =
        Map.fromList
          [ (Key 7, Item (C.pack "brick") 12 (Just 75)),
            (Key 900, Item (C.pack "nail") (-1) (Just (2 ^ (70 :: Int)))),
            (Key 901, Item S.empty 0 Nothing)
          ],
      tags = Set.fromList ["", "new", "\8364"],
      history =
        [Opened, Both (Sold (Key 7) 3) (Moved (Left (Key 1)) (Right "shop")), Opened],
      ratio = -3 / 4,
      weight = 0.1
    }

check :: String -> Bool -> IO ()
check what ok = unless ok (putStrLn ("wrong: " ++ what) >> exitFailure)

main :: IO ()
main = do
  check "the bytes of a derived type" (L.unpack (encode stock) == golden)
  check "the value again" (decode (L.pack golden) == stock)
  let packet = Packet 2 [1, -2]
  check "the bytes by hand" (L.unpack (encode packet) == [0x50, 2, 2, 0, 1, 0, 254, 255])
  check "a list by hand" (decode (encode [packet, packet]) == [packet, packet])
  check "bits" (L.unpack (encode [Bit True, Bit False]) == [0, 0, 0, 0, 0, 0, 0, 2, 1, 0])
  check "bits again" (decode (encode [Bit True, Bit False]) == [Bit True, Bit False])
  check "polymorphic" (runPut (polymorphic 'a' (1 :: Word16)) == L.pack [97, 0, 1])
  check "an error" $ case decodeOrFail (L.pack [1, 2]) of
    Left (_, at, message) -> (at, message) == (1, "no packet\npacket")
    Right (_, _, p) -> p /= packet
  check "what is left" $ case decodeOrFail (L.pack [0x50, 0, 0, 0, 9]) of
    Left _ -> False
    Right (left, at, p) -> (left, at, p) == (L.pack [9], 4, Packet 0 [])
  check "in a decoder" (runGet ((,) <$> getWord8 <*> get) (L.pack [1, 0, 2]) == (1, 2 :: Word16))
  check "fed" $ case pushChunks (runGetIncremental get) (L.pack golden) of
    Done left _ s -> S.null left && s == stock
    _ -> False
  dir <- getTemporaryDirectory
  (path, h) <- openTempFile dir "stock"
  hClose h
  encodeFile path stock
  again <- decodeFile path
  check "a file" (again == stock)
  L.writeFile path (L.pack [0, 0])
  failed <- decodeFileOrFail path
  check "a broken file" $ case failed of
    Left _ -> True
    Right s -> s /= stock
  removeFile path
  putStrLn "ok"

golden :: [Word8]
golden =
  [ 0,
    0,
    0,
    0,
    0,
    0,
    0,
    3,
    0,
    0,
    0,
    7,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    5,
    98,
    114,
    105,
    99,
    107,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    12,
    1,
    0,
    0,
    0,
    0,
    75,
    0,
    0,
    3,
    132,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    4,
    110,
    97,
    105,
    108,
    255,
    255,
    255,
    255,
    255,
    255,
    255,
    255,
    1,
    1,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    9,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    64,
    0,
    0,
    3,
    133,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    3,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    3,
    110,
    101,
    119,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    226,
    130,
    172,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    3,
    0,
    3,
    1,
    0,
    0,
    0,
    7,
    0,
    3,
    2,
    0,
    0,
    0,
    0,
    1,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    4,
    115,
    104,
    111,
    112,
    0,
    0,
    255,
    255,
    255,
    253,
    0,
    0,
    0,
    0,
    4,
    1,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    7,
    154,
    153,
    153,
    153,
    153,
    153,
    25,
    255,
    255,
    255,
    255,
    255,
    255,
    255,
    200
  ]
