{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingVia #-}

-- |
-- Module      : Tests.Packed.Types
-- Description : Types that are packed, and what they are by a naive model
module Tests.Packed.Types
  ( Direction (..),
    Directions (..),
    directions,
    Choice (..),
    Everything (..),
    everything,
    sample,
    Many (..),
    Endless (..),
    Ends (..),

    -- * The model
    Item (..),
    items,
    modelBytes,
  )
where

import Ashlar.Codec (Codec, encode)
import Ashlar.Codec.Packed
import Data.Bits (testBit, (.|.))
import qualified Data.ByteString as S
import Data.Int (Int32)
import Data.Map (Map)
import qualified Data.Map as Map
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import Data.Word (Word16, Word64, Word8)
import GHC.Generics (Generic)
import Test.QuickCheck hiding (sample)

data Direction = North | South | Center | East | West
  deriving stock (Eq, Ord, Show, Enum, Bounded, Generic)
  deriving anyclass (Pack)

data Directions = Fork Directions Directions | Tip Direction
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Pack)

directions :: Gen Directions
directions = sized go
  where
    go n
      | n <= 1 = Tip <$> elements [minBound .. maxBound]
      | otherwise = frequency [(4, Fork <$> go (n `div` 2) <*> go (n `div` 2)), (1, go 0)]

data Choice = One | Two Bool Int | Three Word16 Choice
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Pack)

newtype Mark = Mark Bool
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Pack)

-- | Its 'Codec' is the packed format, too.
data Everything = Everything
  { flag :: Bool,
    direction :: Direction,
    count :: Int,
    note :: Text,
    mayBe :: Maybe Word16,
    list :: [Direction],
    number :: Double,
    marks :: (Mark, Mark),
    choice :: Choice,
    table :: Map Int32 Bool,
    plain :: Unpacked [Word16],
    nested :: Directions
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Pack)
  deriving (Codec) via (Packed Everything)

everything :: Gen Everything
everything =
  Everything
    <$> arbitrary
      <*> direction'
      <*> oneof [arbitrary, arbitraryBoundedIntegral]
      <*> (T.pack . filter (\c -> c < '\xD800' || c > '\xDFFF') <$> short arbitrary)
      <*> arbitrary
      <*> short direction'
      <*> arbitrary
      <*> ((,) <$> (Mark <$> arbitrary) <*> (Mark <$> arbitrary))
      <*> sized choices
      <*> (Map.fromList <$> short arbitrary)
      <*> (Unpacked <$> short arbitrary)
      <*> scale (`div` 4) directions
  where
    direction' = elements [minBound .. maxBound]
    short g = choose (0, 20) >>= \n -> vectorOf n g
    choices n =
      frequency $
        [(1, pure One), (1, Two <$> arbitrary <*> arbitrary)]
          ++ [(2, Three <$> arbitrary <*> choices (n `div` 2)) | n > 0]

sample :: Everything
sample =
  Everything
    True
    East
    (-300)
    (T.pack "a\228")
    (Just 300)
    [North, West]
    0.5
    (Mark True, Mark False)
    (Three 1 (Two True 2))
    (Map.fromList [(-1, True)])
    (Unpacked [1])
    (Tip Center)

-- | More constructors than are unfolded.
data Many
  = M0
  | M1
  | M2
  | M3
  | M4
  | M5
  | M6
  | M7
  | M8
  | M9
  | M10
  | M11
  | M12
  | M13
  | M14
  | M15
  | M16
  | M17
  | M18
  deriving stock (Eq, Show, Enum, Bounded, Generic)
  deriving anyclass (Pack)

-- | Types without finite values.
data Endless = Endless Endless Endless
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Pack)

newtype Ends = Ends Ends
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Pack)

-- | What a packed value consists of.
data Item
  = -- | One of so many symbols.
    Symbol Int Int
  | Whole S.ByteString

-- | The items of a value.
items :: Everything -> [Item]
items x =
  concat
    [ [bool (flag x), enum (direction x), int (fromIntegral (count x))],
      text (note x),
      maybe [Symbol 2 0] (\w -> [Symbol 2 1, leb (fromIntegral w)]) (mayBe x),
      leb (fromIntegral (length (list x))) : map enum (list x),
      [Whole (encode (number x))],
      [bool a | let (Mark p, Mark q) = marks x, a <- [p, q]],
      choiceItems (choice x),
      leb (fromIntegral (Map.size (table x))) :
      concat [[int (toInteger k), bool b] | (k, b) <- Map.toAscList (table x)],
      [Whole (encode (getUnpacked (plain x)))],
      tree (nested x)
    ]
  where
    bool b = Symbol 2 (fromEnum b)
    enum d = Symbol 5 (fromEnum d)
    int n = leb (if n >= 0 then 2 * n else -2 * n - 1)
    leb n = Whole (S.pack (groups n))
    groups n
      | n < 128 = [fromInteger n]
      | otherwise = (fromInteger (n `mod` 128) .|. 128) : groups (n `div` 128)
    text t = let bs = T.encodeUtf8 t in [leb (fromIntegral (S.length bs)), Whole bs]
    choiceItems c = case c of
      One -> [Symbol 3 0]
      Two b n -> [Symbol 3 1, bool b, int (toInteger n)]
      Three w c' -> Symbol 3 2 : leb (fromIntegral w) : choiceItems c'
    tree t = case t of
      Fork a b -> Symbol 2 0 : tree a ++ tree b
      Tip d -> [Symbol 2 1, enum d]

-- | The bytes of items, one after the other: each bit goes to the highest free place of the byte
-- that the last one is in, or opens a byte at the end.
modelBytes :: [Item] -> S.ByteString
modelBytes = S.pack . go [] Nothing
  where
    -- The bytes so far, and the index of the open byte with the number of its free places.
    go :: [Word8] -> Maybe (Int, Int) -> [Item] -> [Word8]
    go bytes open todo = case todo of
      [] -> bytes
      Whole bs : rest -> go (bytes ++ S.unpack bs) open rest
      Symbol n i : rest ->
        let (bytes', open') = foldl bit (bytes, open) (code n i) in go bytes' open' rest
    bit (bytes, open) b = case open of
      Just (at, left) | left > 0 -> (setBit' at (left - 1) b bytes, Just (at, left - 1))
      _ -> (setBit' (length bytes) 7 b (bytes ++ [0]), Just (length bytes, 7))
    setBit' at place b bytes =
      [ if i == at && b then old .|. (2 ^ (place :: Int)) else old
        | (i, old) <- zip [0 ..] bytes
      ]

-- Truncated binary.
code :: Int -> Int -> [Bool]
code n i
  | n == 1 = []
  | i < short = ofWidth k i
  | otherwise = ofWidth (k + 1) (i + short)
  where
    k = last [j | j <- [0 .. 16], 2 ^ j <= n]
    short = 2 ^ (k + 1) - n
    ofWidth w j = [testBit (fromIntegral j :: Word64) b | b <- [w - 1, w - 2 .. 0]]
