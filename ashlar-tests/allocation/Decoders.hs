{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Decoders
-- Description : What reading allocates
module Decoders
  ( sumOfNumbers,
    pushedValues,
    monadic,
    overAClass,
    unknownMonad,
    strictRuns,
    oneStep,
    textsRead,
    lookAheads,
    numbersFromText,
    atTheEnd,
    literals,
    decidedByByte,
    alternatives,
    expressions,
    errorsUnseen,
  )
where

import Ashlar.Builder
import Ashlar.Codec
import Ashlar.Get
import Ashlar.Get.Feed (Values (..), feedValues, feedValuesEnd, runGetValues)
import qualified Ashlar.Get.Parse as Parse
import Control.Applicative (empty, many, (<|>))
import Control.Exception (evaluate)
import Control.Monad (forM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Data.Int (Int64)
import qualified Data.List as List
import Data.Semigroup (stimes)
import Data.Word (Word64)
import Measure
import Test.Tasty.HUnit

sumOfNumbers :: Assertion
sumOfNumbers = nothingForEach summed
  where
    summed n = do
      bs <- evaluate (toStrictByteString (numbers 0 (fromIntegral n)))
      allocatedBy (runGet (total n 0)) bs

-- A number with its box takes 16 bytes, what collects it 32, and the list 24.
pushedValues :: Assertion
pushedValues = do
  few <- pushed 10 4096
  longer <- pushed 10 40960
  more <- pushed 100 4096
  let each = (longer - few) `div` (10 * 9 * 512)
      stop = (more - few) `div` 90 - 512 * each
  assertBool (show (each, stop)) (each <= 80 && stop <= 4096)
  where
    pushed n bytes = do
      chunks <- evaluate (replicate n (S.replicate bytes 7))
      allocatedBy (\cs -> added (runGetValues getWord64le) cs 0) chunks
    added state chunks acc = case chunks of
      bs : more -> case feedValues state bs of
        (ws, next) -> let acc' = List.foldl' (+) acc ws in acc' `seq` added next more acc'
      [] -> case feedValuesEnd state of
        ([], ValuesDone _) -> acc
        _ -> 0 :: Word64
    {-# NOINLINE added #-}

-- One thunk for each result, where 'fmap' and '<*>' take two. (Few elements, for each is a frame on
-- the stack.)
overAClass :: Assertion
overAClass = do
  one <- each lifted
  two <- each mappedAndApplied
  assertBool (show (one, two)) (one <= two - 16)
  where
    each list = do
      few <- running list 100
      more <- running list 1100
      pure ((more - few) `div` 1000)
    running list n = do
      bs <- evaluate (S.replicate (n * 8) 7)
      allocatedBy (runGet (list getWord64le n)) bs

-- The compiler finds no box for any of them.
monadic :: Assertion
monadic = nothingForEach running
  where
    running n = do
      bs <- evaluate (S.replicate (n * 25) 7)
      allocatedBy (runGet (loop n 0)) bs
    loop :: Int -> Int64 -> Get Int64
    loop n acc
      | n == 0 = pure acc
      | otherwise = do
        a <- getInt64le
        b <- getWord8
        c <- getInt64be
        d <- getInt64host
        let acc' = acc + a + fromIntegral b + c * d
        acc' `seq` loop (n - 1) acc'

-- With the 'Right' of the result, and what the result itself takes.
strictRuns :: Assertion
strictRuns = do
  runTakes "pure" 216 (runGet (unknown (pure ())))
  runTakes "a label" 216 (runGet (label "all" (pure ())))
  -- The box of the result.
  runTakes "a number" 232 (runGet (unknown getWord64le))
  runTakes "to the end" 232 (runGetWhole (unknown (getWord64le <* getWord64le)))
  where
    unknown :: Get a -> Get a
    unknown g = g
    {-# NOINLINE unknown #-}

-- The value and 'Right', which 'pure' shares.
oneStep :: Assertion
oneStep = do
  runTakes "pure" 0 (runGet (pure ()))
  runTakes "a number" 32 (runGet getWord64le)
  runTakes "two numbers" 72 (runGet ((,) <$> getWord64le <*> getWord64be))
  runTakes "to the end" 32 (runGetWhole (getWord64le <* getWord64le))
  -- The scanner is called by its address: it has a closure.
  runTakes "a token" 112 (runGet (Parse.takeWhile (== 7)))

-- 20 ASCII characters, as bytes or as 16-bit words, in whole words. (Some compilers see that nobody
-- has the text itself, which is four of the six words.)
textsRead :: Assertion
textsRead = do
  few <- texts 100
  more <- texts 10100
  let each = (more - few) `div` 10000
  assertBool (show each) (each `elem` [n + 48 - text | n <- [24, 40], text <- [0, 32]])
  where
    texts n = do
      bs <- evaluate (S.replicate (20 * n) 97)
      allocatedBy (runGet (loop n)) bs
    loop :: Int -> Get ()
    loop n
      | n == 0 = pure ()
      | otherwise = getTextUtf8 20 >>= \t -> t `seq` loop (n - 1)

lookAheads :: Assertion
lookAheads = nothingForEach looked
  where
    looked n = do
      bs <- evaluate (toStrictByteString (numbers 0 (fromIntegral n)))
      allocatedBy (runGet (ahead n 0)) bs
    ahead :: Int -> Int64 -> Get Int64
    ahead !n !acc
      | n == 0 = pure acc
      | otherwise = lookAhead getInt64le >>= \x -> skip 8 >> ahead (n - 1) (acc + x)

-- Each has two words. Those of many digits take no Integer, unless they are next to halfway.
numbersFromText :: Assertion
numbersFromText = do
  forM_ ["12.5 ", "-0.12345678901234567 ", "1.7976931348623157e-308 ", "4.35e22 "] $ \s -> do
    atMost 16.1 s Parse.double
    atMost 16.1 s Parse.float
  -- Out of line.
  atMost 100 "0.1234567890123456789012345 " Parse.double
  where
    atMost :: Double -> String -> Get a -> Assertion
    atMost most s g = do
      few <- running (C.pack s) g 100
      many' <- running (C.pack s) g 10100
      let each = fromIntegral (many' - few) / 10000
      assertBool (show (s, each)) (each <= most)
    running s g n = do
      bs <- evaluate (stimes n s)
      allocatedBy (runGet (loop g n)) bs
    loop :: Get a -> Int -> Get ()
    loop g n
      | n == 0 = pure ()
      | otherwise = g >>= \x -> skip 1 *> (x `seq` loop g (n - 1))
    {-# INLINE loop #-}

-- The slow path for what may go on in the next chunk is not taken.
atTheEnd :: Assertion
atTheEnd = do
  same "12345" (Parse.decimal :: Get Int)
  same "-12345" (Parse.signedDecimal :: Get Int)
  same "12aBf" (Parse.hexadecimal :: Get Int)
  same "1.5" Parse.double
  same "-12.5e10" Parse.double
  same "1.5" Parse.float
  same "token" (Parse.takeWhile (/= 32))
  same "token" (Parse.takeTillByte 32)
  same "12345;" (isolate 5 (Parse.decimal :: Get Int) <* Parse.word8 59)
  where
    same :: String -> Get a -> Assertion
    same s g = do
      before <- run g (C.pack (s ++ " "))
      end <- run g (C.pack s)
      assertBool (show (s, before, end)) (end <= before)
    run g bs = evaluate bs >>= \bs' -> allocatedBy (runGet g) bs'
    {-# NOINLINE run #-}

literals :: Assertion
literals = nothingForEach running
  where
    running n = do
      bs <- evaluate (stimes n word)
      allocatedBy (runGet (loop n)) bs
    word = S.pack [97 .. 114]
    loop :: Int -> Get ()
    loop n
      | n == 0 = pure ()
      | otherwise = Parse.bytes word *> loop (n - 1)

-- There is no choice point. Only a traced run allocates, when the refused byte is
-- farther than all failures before.
decidedByByte :: Assertion
decidedByByte = do
  untraced <- each runGet loop
  assertBool (show untraced) (untraced < 1)
  farther <- each traced loop
  assertBool (show farther) (farther <= 49)
  -- A failure after all of them.
  nearer <- each traced (\n -> (skip (n + 1) *> empty) <|> loop n)
  assertBool (show nearer) (nearer < 1)
  where
    -- Every run on a lazy ByteString is traced.
    traced p bs = runGetLazy p (L.fromStrict bs)
    each :: (Get () -> S.ByteString -> Either DecodeError ()) -> (Int -> Get ()) -> IO Double
    each run f = perElement (running run f)
    running run f n = do
      bs <- evaluate (S.replicate (n + 1) 1)
      allocatedBy (run (f n)) bs
    loop :: Int -> Get ()
    loop n
      | n == 0 = pure ()
      | otherwise = unwanted *> skip 1 *> loop (n - 1)
    unwanted :: Get [Word64]
    unwanted = many (Parse.word8 2 *> getWord64le)
    {-# NOINLINE unwanted #-}

-- The box of the byte that is returned. Half of the alternatives fail, each farther than the one
-- before. A choice point is on the stack, and a run that is not traced records nothing.
alternatives :: Assertion
alternatives = do
  each <- perElement tried
  assertBool (show each) (each <= 16)
  where
    tried n = do
      bs <- evaluate (S.pack (take n (cycle [1, 2])))
      allocatedBy (runGet (halves n 0)) bs
    halves :: Int -> Int -> Get Int
    halves n acc
      | n == 0 = pure acc
      | otherwise = half >>= \w -> let acc' = acc + fromIntegral w in acc' `seq` halves (n - 1) acc'
    half = (getWord8 >>= \w -> if odd w then pure w else empty) <|> getWord8
    {-# NOINLINE half #-}

-- A program that does not know its monad: for each number the closure of a method, what follows it,
-- and their values. (104 bytes with GHC 9.0.2.)
unknownMonad :: Assertion
unknownMonad = do
  each <- perElement $ \n -> do
    bs <- evaluate (S.replicate (8 * n) 1)
    allocatedBy (runGet (summed getWord64le n)) bs
  assertBool (show each) (each <= 120)
  where
    summed :: Monad m => m Word64 -> Int -> m Word64
    summed number = go 0
      where
        go !acc n
          | n == 0 = pure acc
          | otherwise = number >>= \x -> go (acc + x) (n - 1 :: Int)
    {-# NOINLINE summed #-}

-- Nothing for each small s-expression: neither for the choice between a list and a name, nor for
-- what follows the list.
expressions :: Assertion
expressions = nothingForEach $ \n -> do
  bs <- evaluate (S.concat (C.pack "(" : replicate n (C.pack "(a (b c))") ++ [C.pack ")"]))
  allocatedBy (runGet expression) bs
  where
    expression :: Get ()
    expression = (open *> Parse.skipMany1 expression <* close) <|> name
    open = Parse.word8 40 *> blank
    close = Parse.word8 41 *> blank
    name = Parse.skipWhile1 (\w -> w - 97 < 26) *> blank
    blank = Parse.skipWhile (== 32)

errorsUnseen :: Assertion
errorsUnseen = do
  bs <- evaluate (S.replicate 100000 1)
  unseen <- allocated (look (either (const 0) id) bs)
  seen <- allocated (look (either (fromIntegral . errorOffset) id) bs)
  assertBool (show (unseen, seen)) (unseen > 100000 && 10 * seen >= 19 * unseen)
  where
    look :: (Either DecodeError Int -> Int) -> S.ByteString -> IO Int
    look f bs = evaluate (f (runGet ((length <$> many getWord8) <* skip 1) bs))
    {-# NOINLINE look #-}
