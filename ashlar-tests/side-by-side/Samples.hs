{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Samples
-- Description : The arguments that every row is tried with
--
-- Each type has a list of total values at its edges, values with a hole, and endless values. The
-- circumstance fills the hole: with an exception, an interruption, or a wait.
module Samples
  ( Sample (..),
    Whole (..),
    Hole (..),
    edges,

    -- * What a hole is filled with
    Boom (..),
    Plain (..),
    Halt (..),
    throwing,
    interrupting,
    Gate,
    newGate,
    waitingAt,
    arrive,
    awaitArrival,
    openGate,
    maskedAs,
  )
where

import Control.Concurrent (MVar, myThreadId, newEmptyMVar, putMVar, readMVar, tryPutMVar)
import Control.Exception
import Control.Monad (unless, void)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L (ByteString (..))
import qualified Data.ByteString.Short as SBS
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Maybe (mapMaybe)
import Data.Word (Word16, Word32, Word64, Word8)
import System.IO.Unsafe (unsafePerformIO)

-- | A value that is not tried with holes.
newtype Whole a = Whole a

-- | What stands at one point of a value.
newtype Hole = Hole {fill :: forall x. x -> x}

-- | The values of a type, with their names.
class Sample a where
  samples :: [(String, a)]

  -- | Values with a hole somewhere inside.
  holed :: [(String, Hole -> a)]
  holed = [("the value", \h -> fill h x) | (_, x) <- take 1 samples]

  endless :: [(String, a)]
  endless = []

-- | Thrown by a value.
data Boom = Boom
  deriving stock (Show)

instance Exception Boom

-- | Thrown to a thread. Its type says nothing about asynchronous exceptions.
data Plain = Plain
  deriving stock (Show)

instance Exception Plain

-- | Thrown to a thread. Its type is below 'SomeAsyncException'.
data Halt = Halt
  deriving stock (Show)

instance Exception Halt where
  toException = asyncExceptionToException
  fromException = asyncExceptionFromException

-- | An exception in place of the value.
throwing :: Hole
throwing = Hole (\_ -> throw Boom)

-- | The first evaluation is interrupted by this exception. The next one goes on.
interrupting :: Exception e => e -> Hole
interrupting e = Hole $ \x ->
  unsafePerformIO (myThreadId >>= \t -> throwTo t e >> pure x)
{-# NOINLINE interrupting #-}

-- | Where an evaluation waits. The first 'MVar' is full after the arrival, the second one after
-- the gate was opened.
data Gate = Gate (MVar ()) (MVar ())

newGate :: IO Gate
newGate = Gate <$> newEmptyMVar <*> newEmptyMVar

-- | The value is there when the gate is open.
waitingAt :: Gate -> Hole
waitingAt (Gate arrival opening) = Hole $ \x ->
  unsafePerformIO (tryPutMVar arrival () >> readMVar opening >> pure x)
{-# NOINLINE waitingAt #-}

-- | Also at the end of a computation that did not get to the gate.
arrive :: Gate -> IO ()
arrive (Gate arrival _) = void (tryPutMVar arrival ())

awaitArrival :: Gate -> IO ()
awaitArrival (Gate arrival _) = readMVar arrival

openGate :: Gate -> IO ()
openGate (Gate _ opening) = putMVar opening ()

-- | The value is there if its evaluation is masked like this.
maskedAs :: MaskingState -> Hole
maskedAs right = Hole $ \x -> unsafePerformIO $ do
  state <- getMaskingState
  unless (state == right) (void (throwIO (userError (show state))))
  pure x
{-# NOINLINE maskedAs #-}

-- | For functions of a number.
edges :: [(String, Int)]
edges = [(show n, n) | n <- [-1, 0, 1, 2, 5, 8]] ++ [("maxBound", maxBound), ("minBound", minBound)]

-- Numbers -----------------------------------------------------------------------------------------

numbers :: forall a. (Show a, Bounded a, Integral a) => [(String, a)]
numbers =
  [ (show x, x)
    | x <-
        [minBound, maxBound, 0, 1, maxBound - 1, minBound + 1, 127, maxBound `div` 2]
          ++ [x | e <- [1 .. 19 :: Int], d <- [-1, 0], Just x <- [inside (10 ^ e + d)]]
          ++ [x | e <- [4, 8 .. 60 :: Int], d <- [-1, 0], Just x <- [inside (2 ^ e + d)]]
          ++ mapMaybe inside [-1, -9, -10, -128, -129]
  ]
  where
    inside :: Integer -> Maybe a
    inside n
      | n < toInteger (minBound @a) || n > toInteger (maxBound @a) = Nothing
      | otherwise = Just (fromInteger n)

instance Sample Word8 where samples = numbers

instance Sample Word16 where samples = numbers

instance Sample Word32 where samples = numbers

instance Sample Word64 where samples = numbers

instance Sample Word where samples = numbers

instance Sample Int8 where samples = numbers

instance Sample Int16 where samples = numbers

instance Sample Int32 where samples = numbers

instance Sample Int64 where samples = numbers

instance Sample Int where samples = numbers

instance Sample Integer where
  samples =
    [ (show (signum n) ++ " with " ++ show (length (show n)) ++ " digits, " ++ show (n `mod` 9), n)
      | magnitude <-
          [0, 1, 9, 10]
            ++ [2 ^ e + d | e <- [31, 32, 63, 64, 127, 128, 2000 :: Int], d <- [-1, 0]]
            ++ [10 ^ e + d | e <- [17, 18, 19, 36, 100, 5000 :: Int], d <- [-1, 0]],
        n <- [magnitude, -magnitude]
    ]

instance Sample Float where
  samples = floats ++ [(show x, x) | x <- [1.0e-45, 1.1754944e-38, 3.4028235e38, 16777216]]

instance Sample Double where
  samples =
    floats
      ++ [ (show x, x)
           | x <- [5.0e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 9007199254740992]
         ]

floats :: (Show a, RealFloat a) => [(String, a)]
floats =
  [ (show x, x)
    | x <-
        [0, -0, 1, -1, 0.1, -0.1, 1 / 3, 0.099, 1.0e-2, 1234567.5, 9999999, 1.0e7, 1.25e21, 1.0e22]
          ++ [0 / 0, 1 / 0, -1 / 0]
  ]

-- Text --------------------------------------------------------------------------------------------

instance Sample Char where
  samples =
    [ (show c, c)
      | c <-
          "a\0\x7F\x80\xE4\xFF\x100\x7FF\x800\x20AC\xD7FF\xD800\xDFFF\xE000\xFFFF\x10000\x10FFFF"
            ++ "<>&\"'"
    ]

instance Sample () where
  samples = [("()", ())]
  holed = []

instance (Sample a, Sample b) => Sample (a, b) where
  samples =
    [ ("(" ++ n ++ ", " ++ m ++ ")", (x, y))
      | ((n, x), (m, y)) <- zip (cycle samples) samples
    ]
  holed =
    [("(hole, _)", \h -> (f h, y)) | (_, f) <- holed, (_, y) <- take 1 samples]
      ++ [("(_, hole)", \h -> (x, f h)) | (_, f) <- holed, (_, x) <- take 1 samples]

instance (Sample a, Sample b) => Sample (Either a b) where
  samples =
    [("Left " ++ n, Left x) | (n, x) <- samples] ++ [("Right " ++ n, Right x) | (n, x) <- samples]

instance Sample a => Sample (Maybe a) where
  samples = ("Nothing", Nothing) : [("Just " ++ n, Just x) | (n, x) <- samples]
  holed = [("Just hole", Just . f) | (_, f) <- holed] ++ [("the value", \h -> fill h Nothing)]

instance Sample a => Sample (Whole a) where
  samples = [(name, Whole x) | (name, x) <- samples]
  holed = []

-- Strings -----------------------------------------------------------------------------------------

instance Sample a => Sample [a] where
  samples =
    ("[]", []) :
    [("[" ++ name ++ "]", [x]) | (name, x) <- take 2 samples]
      ++ [("one of each", each), ("3,000 of one", concatMap (replicate 3000) (take 1 each))]
    where
      each = map snd samples
  holed =
    [ ("in the spine", \h -> take 3 each ++ fill h (drop 3 each)),
      ("in the spine, far on", \h -> many ++ fill h each)
    ]
      ++ [("in an element", \h -> take 3 each ++ [f h] ++ drop 3 each) | (_, f) <- holed]
      ++ [("in an element, far on", \h -> many ++ [f h] ++ each) | (_, f) <- holed]
    where
      each = map snd samples
      many = take 1500 (cycle each)
  endless = [("endless", cycle (map snd samples))]

-- Around what fits into a buffer, and what is copied.
sizes :: [Int]
sizes = [0, 1, 2, 3, 7, 8, 9, 17, 40, 200, 4079, 4080, 4081, 8159, 8160, 8161, 8192, 32752, 70000]

someBytes :: Int -> S.ByteString
someBytes n = S.pack (take n (cycle [7, 0, 255, 34, 92, 128, 60, 200, 10, 99, 38]))

instance Sample S.ByteString where
  samples = [(show n ++ " bytes", someBytes n) | n <- sizes]
  holed = [("the value", \h -> fill h (someBytes 20))]

instance Sample SBS.ShortByteString where
  samples = [(show n ++ " bytes", SBS.toShort (someBytes n)) | n <- sizes]
  holed = [("the value", \h -> fill h (SBS.toShort (someBytes 20)))]

instance Sample L.ByteString where
  samples =
    [(show n ++ " bytes", L.fromStrict (someBytes n)) | n <- sizes]
      ++ [ ("chunks of " ++ show ns, L.fromChunks (map someBytes ns))
           | ns <-
               [[1, 1], [1, 4080], [4080, 1], [40, 8160, 40, 8192], [20000, 3, 20000], [1 .. 40]]
         ]
      ++ [ ("an empty chunk", chunk 1 (chunk 0 (chunk 3 L.Empty))),
           ("an empty chunk first", chunk 0 (chunk 9 L.Empty)),
           ("an empty chunk last", chunk 9 (chunk 0 L.Empty))
         ]
    where
      chunk = L.Chunk . someBytes
  holed =
    [ ("in the first chunk", \h -> fill h (L.fromStrict (someBytes 20))),
      ("after a chunk", \h -> L.Chunk (someBytes 20) (fill h (L.fromStrict (someBytes 20)))),
      ( "after a large chunk",
        \h -> L.Chunk (someBytes 9000) (fill h (L.fromStrict (someBytes 20)))
      ),
      ("at the end", \h -> L.Chunk (someBytes 20) (fill h L.Empty))
    ]
  endless =
    [ ("endless", L.cycle (L.fromStrict (someBytes 100))),
      ("endless, large chunks", L.cycle (L.fromStrict (someBytes 10000)))
    ]
