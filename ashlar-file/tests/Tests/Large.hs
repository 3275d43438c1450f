{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Large
-- Description : Records that are nearly as large as is allowed, or larger
module Tests.Large (tests) where

import Ashlar.Codec (Codec, HasFormat (..), get, put)
import Ashlar.Codec.Combinators (byHand)
import Ashlar.File
import Ashlar.Get (Get, handleSource)
import Control.Exception (try)
import qualified Data.ByteString as S
import Data.IORef (modifyIORef, newIORef, readIORef)
import GHC.Stats (GCDetails (..), RTSStats (..), getRTSStats)
import System.IO (IOMode (..), withBinaryFile)
import System.Mem (performMajorGC)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Files
import Tests.Random

tests :: TestTree
tests =
  testGroup
    "large records"
    [ testProperty "no block is larger than a record may be" allowed,
      testProperty "appending does not cut off a block that is too large" (once kept),
      testProperty "a stream has the limit of its reader" (once streamed),
      testProperty "what says why records were lost does not keep their blocks" (once small)
    ]

ty :: RecordType S.ByteString
ty = fixedType "byte strings"

bytesOf :: Int -> S.ByteString
bytesOf n = S.replicate n 7

-- (The length of a record takes 8 bytes.)
allowed :: Property
allowed = forAll sizes $ \ns -> ioProperty . inFile $ \path -> do
  let options = defaultWriteOptions {writeBlockSize = 100, writeRecordLimit = limit}
      limit = 5000
  withWriter options ty path (`writeMany` map bytesOf ns)
  outcome <- readAll defaultReadOptions {readBlockLimit = limit} ty path
  pure (fmap (map S.length) (strictly' outcome) === Just ns)
  where
    sizes = listOf (frequency [(3, choose (0, 150)), (1, choose (4700, 4992))])
    strictly' outcome = case strictly outcome of
      (xs, Nothing) -> Just xs
      _ -> Nothing

kept :: Property
kept = ioProperty . inFile $ \path -> do
  let options = defaultWriteOptions {writeIndex = False, writeRecordLimit = 100000000}
  withWriter options ty path (`writeMany` [bytesOf 1, bytesOf 70000000])
  before <- S.readFile path
  refused <- try (appendRecords ty path [bytesOf 2])
  between <- S.readFile path
  withAppender options ty path (`writeMany` [bytesOf 3])
  outcome <- readAll defaultReadOptions {readBlockLimit = 100000000} ty path
  pure $
    conjoin
      [ either damageCause (const NotAFile) refused === TooLarge 70000008 67108864,
        property (before == between),
        map S.length (fst (strictly outcome)) === [1, 70000000, 3]
      ]

-- A source holds 64 MiB by default. The limit of blocks is greater here.
streamed :: Property
streamed = ioProperty . inFile $ \path -> do
  let wide = defaultReadOptions {readBlockLimit = 100000000}
      large = defaultWriteOptions {writeRecordLimit = 100000000}
  withWriter large ty path (`writeMany` map bytesOf [1, 70000000, 2])
  withBinaryFile path ReadMode $ \h -> do
    source <- handleSource h
    let add n x = pure (Right (n + S.length x) :: Either () Int)
    outcome <- foldSourceWith wide ty "stream" source add 0
    pure (outcome === Ended 3 70000003)

-- Byte strings of an odd length are refused.
newtype Even = Even S.ByteString
  deriving stock (Eq, Show)

instance Codec Even

instance HasFormat Even where
  format = byHand 8 (\(Even bs) -> 8 + S.length bs) (\(Even bs) -> put bs) $ do
    bs <- get
    if odd (S.length bs) then fail "odd" else pure (Even bs)

-- Each record that is refused is in a block of 100,000 bytes.
small :: Property
small = ioProperty . inFile $ \path -> do
  withWriter defaultWriteOptions even' path $ \w ->
    writeMany w (concat (replicate 100 (map Even [bytesOf 51, bytesOf 100000])))
  lost <- newIORef []
  before <- live
  outcome <-
    foldRecordsWith
      defaultReadOptions {readResync = Just (\l -> modifyIORef lost (l :))}
      even'
      path
      (\n _ -> pure (Right (n + 1) :: Either () Int))
      0
  now <- live
  found <- readIORef lost
  pure $
    conjoin
      [ outcome === Ended 200 100,
        length found === 100,
        counterexample (show (now - before)) (now - before < 2000000)
      ]
  where
    even' :: RecordType Even
    even' = (fixedType "even") {typePass = Just (() <$ (get :: Get S.ByteString))}
    live = do
      performMajorGC
      toInteger . gcdetails_live_bytes . gc <$> getRTSStats
