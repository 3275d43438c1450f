{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}

-- |
-- Module      : Main
-- Description : A program written for the class of Data.Serialize
--
-- A chess club, with derived instances and some by hand. It imports "Data.Serialize", and
-- knows of no other module. It is compiled twice: as it stands, and with the module of this
-- library under that name (see @mixins@ in the cabal file). Both must write and read the
-- same bytes.
module Main (main) where

import Control.Monad (unless)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.Either (isLeft)
import qualified Data.IntMap as IntMap
import qualified Data.Map as Map
import Data.Serialize
import qualified Data.Set as Set
import Data.Word (Word16, Word8)
import GHC.Generics (Generic)
import System.Exit (exitFailure)

data Club = Club
  { members :: Map.Map Member S.ByteString,
    rating :: IntMap.IntMap Double,
    games :: [Game],
    closed :: Set.Set Ordering
  }
  deriving (Eq, Show, Generic)

instance Serialize Club

newtype Member = Member Word16
  deriving (Eq, Ord, Show)
  deriving newtype (Serialize)

data Game
  = Draw
  | Won Member [(Char, Int)]
  | Match Game Game
  deriving (Eq, Show, Generic, Serialize)

-- By hand: a position in a byte.
data Square = Square Int Int
  deriving (Eq, Show)

instance Serialize Square where
  put (Square x y) = putWord8 (fromIntegral (8 * y + x))
  get = do
    w <- getWord8
    unless (w < 64) $ fail "no square"
    let (y, x) = fromIntegral w `divMod` 8
    pure (Square x y)

putPair :: (Serialize a, Serialize b) => Putter (a, b)
putPair = putTwoOf put put

club :: Club
club =
  Club
    { members = Map.fromList [(Member 1, C.pack "Ana"), (Member 300, S.empty)],
      rating = IntMap.fromList [(-1, 0.5), (7, -2000)],
      games = [Draw, Match (Won (Member 1) [('e', 4), ('\9812', -1)]) Draw],
      closed = Set.fromList [LT, GT]
    }

check :: String -> Bool -> IO ()
check what ok = unless ok (putStrLn ("wrong: " ++ what) >> exitFailure)

main :: IO ()
main = do
  check "the bytes of a derived type" (S.unpack (encode club) == golden)
  check "the value again" (decode (S.pack golden) == Right club)
  check "lazily" (decodeLazy (encodeLazy club) == Right club)
  check "by hand" (S.unpack (encode [Square 1 2, Square 7 7]) == [0, 0, 0, 0, 0, 0, 0, 2, 17, 63])
  check "by hand again" (decode (encode [Square 1 2]) == Right [Square 1 2])
  check "refused" (isLeft (decode (S.pack [64]) :: Either String Square))
  check "a pair" (S.unpack (runPut (putPair (1 :: Word8, 'b'))) == [1, 98])
  check "fractions" (runGet getFloat32le (runPut (putFloat32le 0.5)) == Right 0.5)
  check "expected" (isLeft (runGet (expect (5 :: Word8)) (S.pack [6])))
  check "in parts" $ case runGetPartial get (S.pack (take 9 golden)) of
    Partial resume -> case resume (S.pack (drop 9 golden)) of
      Done c left -> c == club && S.null left
      _ -> False
    _ -> False
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
    2,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    3,
    65,
    110,
    97,
    1,
    44,
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
    2,
    255,
    255,
    255,
    255,
    255,
    255,
    255,
    255,
    63,
    224,
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
    7,
    192,
    159,
    64,
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
    2,
    0,
    2,
    1,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    2,
    101,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    4,
    226,
    153,
    148,
    255,
    255,
    255,
    255,
    255,
    255,
    255,
    255,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    2,
    0,
    2
  ]
