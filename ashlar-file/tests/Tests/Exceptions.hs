{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Exceptions
-- Description : Values that throw while they are written
module Tests.Exceptions (tests) where

import Ashlar.Codec (Codec, HasFormat (..), codec, refined, skipValue)
import Ashlar.File
import Control.Concurrent (forkIO, killThread)
import Control.Concurrent.MVar
import Control.Exception (ErrorCall (..), evaluate, try)
import Control.Monad (forM, forM_, void)
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.Int (Int64)
import qualified Data.List as List
import Data.Word (Word16)
import System.IO.Unsafe (unsafePerformIO)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Files
import Tests.Random

tests :: TestTree
tests =
  testGroup "exceptions" . map (localOption (QuickCheckMaxSize 30)) $
    [ testProperty "a value that throws is not written, all others are" throwing,
      testProperty "of records of constant size, one that throws is not written" throwingNumbers,
      testProperty "an exception of the action loses nothing" throwingAction,
      testProperty "an interrupted lazy list" (once interruptedList),
      testProperty "only the record whose decoder throws is lost" throwingDecoder
    ]

-- Records with faults in them.
throwing :: Settings -> [Either Word16 Row] -> Property
throwing settings acts = ioProperty . inFile $ \path -> do
  withWriter (writing settings) rowType path $ \w -> forM_ acts $ \act -> case act of
    Right x -> write w x
    Left n -> do
      let bad = Row 1 "fault" ([1 .. n] ++ [error "fault"]) Nothing
      r <- try (if even n then write w bad else writeMany w [bad])
      case r of
        Left (ErrorCall m) | m == "fault" -> pure ()
        _ -> fail "no fault"
  got <- readAll reading rowType path
  let xs = [x | Right x <- acts]
  pure (got === Ended (List.genericLength xs) xs)

-- They are written without a builder.
throwingNumbers :: Settings -> [NonEmptyList Int64] -> Property
throwingNumbers settings lists = ioProperty . inFile $ \path -> do
  let ty = fixedType "pairs" :: RecordType (Int64, Word16)
      pairs :: NonEmptyList Int64 -> [(Int64, Word16)]
      pairs (NonEmpty ns) = [(n, fromIntegral n) | n <- ns]
  counts <- withWriter (writing settings) ty path $ \w -> forM lists $ \list -> do
    r <- try (writeMany w (pairs list ++ [(0, error "fault")] ++ pairs list))
    n <- written w
    pure (either (\(ErrorCall m) -> m) (const "no fault") r === "fault", n)
  got <- readAll reading ty path
  let xs = concatMap pairs lists
  pure $
    conjoin (map fst counts)
      .&&. map snd counts
      === drop 1 (scanl (+) 0 (map (List.genericLength . pairs) lists))
      .&&. got
      === Ended (List.genericLength xs) xs

throwingAction :: Settings -> [Row] -> [Row] -> Property
throwingAction settings xs ys = ioProperty . inFile $ \path -> do
  r <- try . withWriter (writing settings) rowType path $ \w -> do
    writeMany w xs
    n <- written w
    void . evaluate $ if n == List.genericLength xs then () else error "count"
    "not stopped" <$ writeMany w (ys ++ error "stop")
  got <- readAll reading rowType path
  pure $
    either (\(ErrorCall m) -> m) id r === "stop"
      .&&. got === Ended (List.genericLength (xs ++ ys)) (xs ++ ys)

-- Reading a negative number throws.
newtype Root = Root Int64
  deriving stock (Eq, Show)
  deriving anyclass (Codec)

instance HasFormat Root where
  format = refined (\(Root n) -> n) root codec
    where
      root n = if n < 0 then errorWithoutStackTrace (show n) else Right (Root n)

-- All before it are read. So are all after it, from there on, and each by its number.
throwingDecoder :: Settings -> [NonNegative Int64] -> [NonNegative Int64] -> Property
throwingDecoder settings before later' = ioProperty . inFile $ \path -> do
  let old = fixedType "roots" :: RecordType Int64
      new = (fixedType "roots") {typePass = Just (skipValue @Int64)} :: RecordType Root
      xs = [n | NonNegative n <- before]
      ys = [n | NonNegative n <- later']
      k = List.genericLength xs
      later = k + 1
  withWriter (writing settings) old path $ \w -> writeMany w (xs ++ [-1] ++ ys)
  seen <- newIORef []
  folded <- try (foldRecordsWith reading new path (\() x -> Right () <$ modifyIORef' seen (x :)) ())
  given <- reverse <$> readIORef seen
  list <- lazyRecords reading new path
  let begun s = case s of
        NextRecord x rest -> x : begun rest
        _ -> []
  lazily <- newIORef []
  end <- try (mapM_ (\x -> modifyIORef' lazily (x :)) (begun list))
  lazilyGiven <- reverse <$> readIORef lazily
  rest <- readAll reading {readFrom = later} new path
  let numbers = [0 .. k + List.genericLength ys]
  each <- withReader reading new path (\r -> forM numbers (try . readAt r))
  pure $
    conjoin
      [ either (\(ErrorCall m) -> m) (show :: Outcome () () -> String) folded === "-1",
        given === map Root xs,
        either (\(ErrorCall m) -> m) (const "no fault") end === "-1",
        lazilyGiven === map Root xs,
        rest === Ended (later + List.genericLength ys) (map Root ys),
        each === Right (found xs ++ [Left (ErrorCall "-1")] ++ found ys)
      ]
  where
    found ns = [Right (Right (Just (Root n))) | n <- ns]

-- Decoding the number 7 waits.
newtype Waiting = Waiting Word16
  deriving stock (Eq, Show)
  deriving anyclass (Codec)

instance HasFormat Waiting where
  format = refined (\(Waiting n) -> n) (\n -> waits n `seq` Right (Waiting n)) codec

waits :: Word16 -> ()
waits n
  | n == 7 = unsafePerformIO (tryPutMVar reached () >> readMVar gate)
  | otherwise = ()
{-# NOINLINE waits #-}

reached, gate :: MVar ()
reached = unsafePerformIO newEmptyMVar
{-# NOINLINE reached #-}
gate = unsafePerformIO newEmptyMVar
{-# NOINLINE gate #-}

-- The thread that forces the list is killed. Then another one forces it.
interruptedList :: Property
interruptedList = ioProperty . inFile $ \path -> do
  let ty = fixedType "waiting" :: RecordType Waiting
      values = map Waiting [1 .. 10]
  writeRecords ty path values
  list <- lazyRecords defaultReadOptions ty path
  done <- newEmptyMVar
  thread <- forkIO (void (evaluate (length list)) >> putMVar done ())
  takeMVar reached
  killThread thread
  unfinished <- isEmptyMVar done
  putMVar gate ()
  pure (unfinished .&&. recordsToEither list === Right values)
