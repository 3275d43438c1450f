{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Builders
-- Description : How a builder is run, in two libraries
--
-- A circumstance is a function of a library. It says what its user sees: bytes and exceptions. Both
-- libraries must let him see the same.
module Builders
  ( Library (..),
    ours,
    theirs,
    through,
    Row,
    row,
    finite,
    rowName,
    differences,
  )
where

import qualified Ashlar.Builder as A
import qualified Ashlar.Builder.Extra as A
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Extra as B
import qualified Data.ByteString.Lazy as L
import Data.Word (Word8)
import Foreign (Ptr, allocaBytes, castPtr)
import Samples
import Seen
import System.Directory (getTemporaryDirectory, removeFile)
import System.IO
import System.IO.Unsafe (unsafePerformIO)
import Threads

-- | What the circumstances need of a library.
data Library b = Library
  { lazily :: b -> L.ByteString,
    -- | Safe or untrimmed, with the sizes of the first buffer and the others.
    lazilyWith :: Bool -> Int -> Int -> L.ByteString -> b -> L.ByteString,
    strictly :: b -> S.ByteString,
    toHandle :: Handle -> b -> IO (),
    stepper :: b -> B.BufferWriter,
    oneByte :: Word8 -> b,
    copied :: S.ByteString -> b,
    flushed :: b,
    also :: b -> b -> b
  }

ours :: Library A.Builder
ours =
  Library
    { lazily = A.toLazyByteString,
      lazilyWith = \safe first next ->
        A.toLazyByteStringWith
          (if safe then A.safeStrategy first next else A.untrimmedStrategy first next),
      strictly = A.toStrictByteString,
      toHandle = A.hPutBuilder,
      stepper = A.runBuilder,
      oneByte = A.word8,
      copied = A.byteStringCopy,
      flushed = A.flush,
      also = (<>)
    }

theirs :: Library B.Builder
theirs =
  Library
    { lazily = B.toLazyByteString,
      lazilyWith = \safe first next ->
        B.toLazyByteStringWith
          (if safe then B.safeStrategy first next else B.untrimmedStrategy first next),
      strictly = L.toStrict . B.toLazyByteString,
      toHandle = B.hPutBuilder,
      stepper = B.runBuilder,
      oneByte = B.word8,
      copied = B.byteStringCopy,
      flushed = B.flush,
      also = (<>)
    }

-- | A library whose builders are made from others: @Put@ has its own way to run lazily.
through :: (c -> b) -> (b -> c) -> (c -> L.ByteString) -> Library b -> Library c
through to from run lib =
  Library
    { lazily = run,
      lazilyWith = \safe first next more -> lazilyWith lib safe first next more . to,
      strictly = L.toStrict . run,
      toHandle = \h -> toHandle lib h . to,
      stepper = stepper lib . to,
      oneByte = from . oneByte lib,
      copied = from . copied lib,
      flushed = from (flushed lib),
      also = \x y -> from (also lib (to x) (to y))
    }

-- | One function of both libraries.
data Row
  = forall a b c.
    Sample a =>
    Row Bool String (Library b) (Library c) (a -> b) (a -> c)

-- | The name begins with that of the function.
row :: Sample a => Library b -> Library c -> String -> (a -> b) -> (a -> c) -> Row
row mine his name = Row True name mine his

-- | Endless arguments are left out: their output would begin never.
finite :: Row -> Row
finite (Row _ name mine his f g) = Row False name mine his f g

rowName :: Row -> String
rowName (Row _ name _ _ _ _) = name

-- | What differs, for each sample and circumstance.
differences :: Row -> IO [String]
differences (Row withEndless _ mine his f g) =
  concat
    <$> sequence
      ( [ differ name circumstance (act mine (f x)) (act his (g x))
          | (name, x) <- samples,
            Circumstance circumstance act <- whole
        ]
          ++ [ differ name circumstance (act mine (f x)) (act his (g x))
               | withEndless,
                 (name, x) <- endless,
                 Circumstance circumstance act <- beginning
             ]
          ++ [ differ ("hole, " ++ name) circumstance (act mine (f . x)) (act his (g . x))
               | (name, x) <- holed,
                 Partial circumstance act <- partial
             ]
          ++ [ differ ("hole, " ++ name) (circumstance ++ ", " ++ how) a b
               | (name, x) <- holed,
                 Run how kinds run <- runs,
                 ((circumstance, a), (_, b)) <-
                   zip
                     (interruptions kinds (run mine . f . x) bytes)
                     (interruptions kinds (run his . g . x) bytes)
             ]
          ++ [ differ "all samples" circumstance (act mine (all' mine f)) (act his (all' his g))
               | Circumstance circumstance act <- inFiles
             ]
      )
  where
    all' lib h = joined lib (concat [[h x, oneByte lib 44] | (_, x) <- samples])

-- | What a user sees of a builder.
data Circumstance = Circumstance String (forall b. Library b -> b -> IO Seen)

-- | What he sees of a builder with a hole.
data Partial = Partial String (forall b. Library b -> (Hole -> b) -> IO Seen)

-- Whole builders ----------------------------------------------------------------------------------

whole :: [Circumstance]
whole =
  [ Circumstance "lazy" (\lib b -> bytes (lazily lib b)),
    Circumstance "strict" (\lib b -> bytes (L.fromStrict (strictly lib b))),
    Circumstance "between others" $ \lib b ->
      bytes (lazily lib (joined lib [oneByte lib 1, b, oneByte lib 2])),
    Circumstance "twice in one" (\lib b -> bytes (lazily lib (also lib b b))),
    Circumstance "a flush before and after" $ \lib b ->
      bytes (lazily lib (joined lib [flushed lib, b, flushed lib])),
    Circumstance "at the end of the first buffer" $ \lib b ->
      mconcat <$> mapM (\n -> bytes (lazily lib (also lib (padding lib n) b))) [4070 .. 4081],
    Circumstance "run twice" $ \lib b ->
      (<>) <$> bytes (lazily lib b) <*> bytes (lazily lib b),
    Circumstance "run by two threads" (\lib b -> inThreads (replicate 2 (bytes (lazily lib b)))),
    Circumstance "one result, two threads" $ \lib b ->
      let output = lazily lib b in inThreads (replicate 2 (bytes output)),
    Circumstance "masked" $ \lib b ->
      mask_ ((<>) <$> bytes (lazily lib b) <*> (noted . show <$> getMaskingState)),
    Circumstance "masked in the middle" $ \lib b -> do
      let output = lazilyWith lib True 9 5 L.empty (also lib (padding lib 20) b)
      _ <- evaluate (L.head output)
      (<>) <$> uninterruptibleMask_ (bytes output) <*> (noted . show <$> getMaskingState),
    Circumstance "small buffers" $ \lib b ->
      mconcat
        <$> sequence
          [ (<>) <$> bytes output <*> pure (noted (show (any S.null (L.toChunks output))))
            | (first, next) <- buffers lib b,
              safe <- [False, True],
              let output = lazilyWith lib safe first next (L.pack [1, 2, 3]) b
          ],
    Circumstance "buffers of a driver" $ \lib b ->
      mconcat <$> mapM (\(first, next) -> stepwise lib first next maxBound b) (buffers lib b)
  ]

joined :: Library b -> [b] -> b
joined lib = foldr1 (also lib)

-- Small ones only for small output.
buffers :: Library b -> b -> [(Int, Int)]
buffers lib b
  | L.null (L.drop 400 (lazily lib b)) =
    [(n, n) | n <- [1 .. 20]]
      ++ [(0, 0), (-1, -1), (minBound, 1), (1, 8), (17, 1), (64, 3), (300, 300)]
  | otherwise = [(1000, 1001), (4080, 4096), (1, 9000)]

padding :: Library b -> Int -> b
padding lib n = copied lib (S.replicate n 0)

-- Through buffers of a driver, which come in a row, and are as large as the builder asks for. Stops
-- after a number of bytes.
stepwise :: Library b -> Int -> Int -> Int -> b -> IO Seen
stepwise lib first next limit b = go (max 0 first) limit [] (stepper lib b)
  where
    go :: Int -> Int -> [S.ByteString] -> B.BufferWriter -> IO Seen
    go size left done write = do
      (out, what) <- allocaBytes (max 1 size) $ \p -> do
        (n, what) <- write (p :: Ptr Word8) size
        when (n > size) (throwIO (userError "past the end of the buffer"))
        out <- S.packCStringLen (castPtr p, n)
        pure (out, what)
      let done' = out : done
          left' = left - S.length out
      if left' <= 0
        then end done'
        else case what of
          B.Done -> end done'
          B.More least write' -> go (max least next') left' done' write'
          B.Chunk bs write'
            | left' <= S.length bs -> end (bs : done')
            | otherwise -> go next' (left' - S.length bs) (bs : done') write'
    next' = max 1 next
    end = bytes . L.take (fromIntegral limit) . L.fromChunks . reverse

-- | What a builder writes to a file, between other output.
inFiles :: [Circumstance]
inFiles =
  [ Circumstance ("to a Handle, " ++ show mode) $ \lib b -> toFile (bytes . L.fromStrict) $ \h -> do
      hSetBuffering h mode
      S.hPut h (S.pack [1, 2, 3])
      toHandle lib h b
      S.hPut h (S.pack [4])
      toHandle lib h b
      pure mempty
    | mode <- [NoBuffering, LineBuffering, BlockBuffering Nothing, BlockBuffering (Just 50)]
  ]

toFile :: (S.ByteString -> IO Seen) -> (Handle -> IO Seen) -> IO Seen
toFile look act = do
  dir <- getTemporaryDirectory
  bracket (openBinaryTempFile dir "ashlar") (\(path, h) -> hClose h >> removeFile path) $
    \(path, h) -> do
      seen <- act h
      hClose h
      (seen <>) <$> (S.readFile path >>= look)

-- Endless builders --------------------------------------------------------------------------------

beginning :: [Circumstance]
beginning =
  [ Circumstance "the first bytes" (\lib b -> bytes (L.take 100000 (lazily lib b))),
    Circumstance "the first bytes, small buffers" $ \lib b ->
      mconcat
        <$> mapM
          (\n -> bytes (L.take 300 (lazilyWith lib True n n L.empty b)))
          [1, 2, 3, 5, 8, 13, 100],
    Circumstance "the first bytes, buffers of a driver" $ \lib b ->
      mconcat <$> mapM (\n -> stepwise lib n n 300 b) [1, 2, 3, 5, 8, 13, 100]
  ]

-- Builders with a hole ----------------------------------------------------------------------------

partial :: [Partial]
partial =
  [ Partial "throws, lazy, after a flush" $ \lib f -> do
      let output =
            lazily lib (also lib (oneByte lib 7) (also lib (flushed lib) (f throwing)))
      first <- evaluate (L.head output)
      mconcat . (noted (show first) :) . map (upTo 40000) <$> sequence [bytes output, bytes output],
    Partial "throws, strict" $ \lib f -> do
      let output = L.fromStrict (strictly lib (f throwing))
      (<>) <$> bytes output <*> bytes output,
    Partial "throws, small buffers" $ \lib f ->
      mconcat
        <$> sequence
          [ upTo (max 16 n) <$> bytes (lazilyWith lib True n n L.empty (f throwing))
            | n <- [3, 20, 100]
          ],
    Partial "throws, buffers of a driver" $ \lib f -> stepwise lib 1000 1000 maxBound (f throwing),
    Partial "throws, to a Handle" $ \lib f ->
      toFile (pure . partOf 80000) $ \h ->
        seeing (mempty <$ toHandle lib h (also lib (oneByte lib 1) (f throwing))),
    Partial "masking seen by a value" $ \lib f -> do
      a <- bytes (lazily lib (f (maskedAs Unmasked)))
      b <- mask_ (bytes (lazily lib (f (maskedAs MaskedInterruptible))))
      let strict = L.fromStrict (strictly lib (f (maskedAs MaskedUninterruptible)))
      c <- uninterruptibleMask_ (bytes strict)
      pure (a <> b <> c),
    Partial "one result, two threads meet in it" $ \lib f -> do
      gate <- newGate
      let output = lazily lib (f (waitingAt gate))
      meeting gate (replicate 2 (bytes output)),
    Partial "one builder, two threads meet in it" $ \lib f -> do
      gate <- newGate
      let b = f (waitingAt gate)
      meeting gate [bytes (lazily lib b), bytes (L.fromStrict (strictly lib b))]
  ]

-- | The ways to run that give a pure value, and what may interrupt them. To a Handle, bytestring
-- loses output if the exception is of a plain type. We do not: see Tests.Exceptions.
data Run = Run String [Interruption] (forall b. Library b -> b -> L.ByteString)

runs :: [Run]
runs =
  [ Run "lazy" [minBound ..] lazily,
    Run "small buffers" [minBound ..] (\lib -> lazilyWith lib True 50 64 L.empty),
    Run "strict" [minBound ..] (\lib b -> L.fromStrict (strictly lib b)),
    Run "to a Handle within a pure value" [ByHalt] $ \lib b -> unsafePerformIO $ do
      dir <- getTemporaryDirectory
      (path, h) <- openBinaryTempFile dir "ashlar"
      toHandle lib h b
      hClose h
      L.fromStrict <$> S.readFile path <* removeFile path
  ]
