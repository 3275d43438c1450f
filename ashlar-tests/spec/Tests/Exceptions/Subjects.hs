{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE RankNTypes #-}

-- |
-- Module      : Tests.Exceptions.Subjects
-- Description : Pure values of which two bytes are computed slowly
module Tests.Exceptions.Subjects
  ( Subject (..),
    subjects,
    others,
  )
where

import Ashlar.Builder
import Ashlar.Codec
import qualified Ashlar.Compat.Binary.Get as Binary
import qualified Ashlar.Compat.Cereal.Get as Cereal
import Ashlar.Get
import Ashlar.Get.Feed
import Ashlar.Put (putWord8, runPut)
import Control.Applicative
import Control.Concurrent.MVar
import Control.Exception
import qualified Data.Binary.Get as B
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as Short
import Data.IORef
import qualified Data.Serialize.Get as C
import qualified Data.Vector as V
import Data.Word (Word8)
import System.Directory (getTemporaryDirectory, removeFile)
import System.IO
import System.IO.Unsafe (unsafeDupablePerformIO, unsafePerformIO)

-- | A value that is made of two slow bytes, each of which it forces once, in this order. With the
-- bytes 7 and 8 it is the given string.
data Subject = Subject
  { subjectName :: String,
    subjectExpected :: S.ByteString,
    -- | Use the value. It is not forced before.
    subjectWith :: forall r. Word8 -> Word8 -> (S.ByteString -> IO r) -> IO r
  }

pureValue :: String -> S.ByteString -> (Word8 -> Word8 -> S.ByteString) -> Subject
pureValue name expected f = Subject name expected (\a b use -> use (f a b))

-- | The same promises, kept by other libraries: these show what is asked of ours.
others :: [Subject]
others =
  [ pureValue "bytestring: toLazyByteString" "\7.\8" $ \a b ->
      L.toStrict (B.toLazyByteString (B.word8 a <> B.char7 '.' <> B.word8 b)),
    pureValue "binary: runGet" "\7\8" $ \a b ->
      B.runGet (strictPair a b B.getWord8) "12",
    pureValue "cereal: runGet" "\7\8" $ \a b ->
      either (const "failed") id (C.runGet (strictPair a b C.getWord8) "12")
  ]
  where
    strictPair a b next = do
      _ <- next
      x <- pure $! a
      _ <- next
      y <- pure $! b
      pure (S.pack [x, y])

subjects :: [Subject]
subjects = builders ++ decoders ++ alternatives ++ codecs ++ inputs ++ nested

builders :: [Subject]
builders =
  [ pureValue "toStrictByteString" "\7.\8" (\a b -> toStrictByteString (slowly a b)),
    pureValue "toShortByteString" "\7.\8" $ \a b ->
      Short.fromShort (toShortByteString (slowly a b)),
    pureValue "toLazyByteString" "\7.\8" (\a b -> L.toStrict (toLazyByteString (slowly a b))),
    pureValue "toLazyByteString, resumed" "\7.\8" $ \a b ->
      L.toStrict (L.drop 100000 (toLazyByteString (long <> slowly a b <> long)) `takeL` 3),
    pureValue "toLazyByteString, in two chunks" "\7\8" $ \a b ->
      ends (toLazyByteString (word8 a <> long <> word8 b)),
    pureValue "runPut" "\7\8" (\a b -> L.toStrict (runPut (putWord8 a >> putWord8 b))),
    pureValue "toByteStringIO" "\7.\8" $ \a b -> unsafePerformIO $ do
      ref <- newIORef []
      toByteStringIOWith 1 (\bs -> modifyIORef ref (bs :)) (slowly a b)
      S.concat . reverse <$> readIORef ref,
    throughHandle "hPutBuilder" (\h a b -> hPutBuilder h (word8 a <> word8 b)),
    throughHandle "hPutBuilder, after many buffers" $ \h a b -> do
      hPutBuilder h (long <> word8 a <> long <> word8 b)
      file <- hSeek h AbsoluteSeek 0 >> S.hGet h 200002
      hSeek h AbsoluteSeek 0
      hSetFileSize h 0
      S.hPut h (S.pack [S.index file 100000, S.index file 200001])
  ]
  where
    slowly a b = word8 a <> char7 '.' <> word8 b
    long = foldMap byteString (replicate 50 (S.replicate 2000 1))
    takeL = flip L.take
    ends bytes = S.pack [L.head bytes, L.last bytes]

-- What is written to a file by a pure value.
throughHandle :: String -> (Handle -> Word8 -> Word8 -> IO ()) -> Subject
throughHandle name write = Subject name "\7\8" $ \a b use -> do
  dir <- getTemporaryDirectory
  bracket (openBinaryTempFile dir "ashlar") (\(path, h) -> hClose h >> removeFile path) $
    \(_, h) -> use $
      unsafePerformIO $ do
        write h a b
        hSeek h AbsoluteSeek 0
        S.hGet h 10

-- Reads two bytes, each of which takes a slow one to decode.
two :: Word8 -> Word8 -> Get S.ByteString
two a b = (\x y -> S.pack [x, y]) <$> one a <*> one b

one :: Word8 -> Get Word8
one a = getWord8 >>= \w -> if w == 0 then empty else pure $! a

-- As much as that, fails after it, and so comes to the other alternative.
inVain :: Word8 -> Get a
inVain a = one a *> empty

result :: Either DecodeError S.ByteString -> S.ByteString
result = either (const "failed") id

decoders :: [Subject]
decoders = concatMap everyWay [("", two), ("isolate", isolated), ("label", labelled)]
  where
    isolated a b = isolate 2 (two a b)
    labelled a b = label "two" (two a b)

alternatives :: [Subject]
alternatives =
  concatMap
    everyWay
    [ ("<|>, which succeeds", \a b -> two a b <|> pure "other"),
      ("<|>, which fails", \a b -> inVain a <|> two 7 b),
      ("<|> within <|>", \a b -> ((inVain a <|> inVain b) <|> inVain 9) <|> two 7 8),
      ("many", \a b -> S.pack <$> rounds (one a) (one b)),
      ("commit", \a b -> (one a *> commit *> (S.pack . (7 :) . pure <$> one b)) <|> pure "other"),
      ("attempt", \a b -> attempt (inVain a) <|> two 7 b),
      ("lookAhead", \a b -> lookAhead (one a) *> two 7 b),
      ("notFollowedBy", \a b -> notFollowedBy (inVain a) *> two 7 b)
    ]
  where
    rounds p q = (\x xs -> x : concat xs) <$> p <*> many ((: []) <$> q)

-- A decoder of two bytes by every way to run it.
everyWay :: (String, Word8 -> Word8 -> Get S.ByteString) -> [Subject]
everyWay (name, g) =
  [ by "runGet" $ \a b -> result (runGet (g a b) "12"),
    by "runGetLazy" $ \a b -> result (runGetLazy (g a b) (L.fromChunks ["1", "2"])),
    by "push mode" $ \a b -> pushed (runGetIncremental (g a b) `pushChunks` "12"),
    by "push mode, resumed" $ \a b ->
      pushed (runGetIncremental (g a b) `pushChunk` "1" `pushChunk` "2"),
    by "pushed values" $ \a b -> values (runGetValues (g a b) `feedValues` "12"),
    by "pushed values, resumed" $ \a b ->
      values (snd (runGetValues (g a b) `feedValues` "1") `feedValues` "2"),
    by "getFrom" $ \a b -> fromSource (\source -> getFrom source (g a b)),
    by "attemptFrom" $ \a b -> fromSource (\source -> attemptFrom source (g a b)),
    by "foldFrom" $ \a b ->
      fromSource (\source -> foldFrom source (g a b) (\acc bs -> pure (acc <> bs)) ""),
    by "Compat.Binary.runGet" $ \a b -> Binary.runGet (g a b) "12",
    by "Compat.Cereal.runGet" $ \a b -> either (const "failed") id (Cereal.runGet (g a b) "12")
  ]
  where
    by way = pureValue (way ++ if null name then "" else ": " ++ name) "\7\8"
    pushed state = case pushEndOfInput state of
      Done _ _ bs -> bs
      _ -> "not done"
    values (as, state) = case feedValuesEnd state of
      (bs, ValuesDone _) -> S.concat (as ++ bs)
      _ -> "not done"
    fromSource run = unsafePerformIO $ do
      chunks <- newIORef ["1", "2"]
      source <- newSource (atomicModifyIORef' chunks (\l -> (drop 1 l, mconcat (take 1 l))))
      result <$> run source

-- A byte that the class decodes by one of the slow bytes: the first, if it is 1.
newtype Slow = Slow Word8

-- The slow bytes of the decoder that runs. One runs at a time ('alone').
slowBytes :: IORef (Word8, Word8)
slowBytes = unsafePerformIO (newIORef (0, 0))
{-# NOINLINE slowBytes #-}

slowByteFor :: Word8 -> Word8
slowByteFor w = unsafeDupablePerformIO $ do
  (a, b) <- readIORef slowBytes
  evaluate (if w == 49 then a else b)
{-# NOINLINE slowByteFor #-}

lock :: MVar ()
lock = unsafePerformIO (newMVar ())
{-# NOINLINE lock #-}

instance Codec Slow

instance HasFormat Slow where
  format = fromPutGet 1 (\(Slow w) -> word8 w) $ getWord8 >>= \w -> Slow <$> (pure $! slowByteFor w)

codecs :: [Subject]
codecs =
  [ alone "decode, a tuple" "12" $ \bs ->
      either (const "failed") (\(Slow x, Slow y) -> S.pack [x, y]) (decode bs),
    alone "decode, a vector" counted $ \bs ->
      either (const "failed") (\v -> S.pack [x | Slow x <- V.toList v]) (decode bs),
    alone "decode, a list in Maybe" ("\1" <> counted) $ \bs ->
      either (const "failed") (maybe "" (\l -> S.pack [x | Slow x <- l])) (decode bs),
    pureValue "encode" "\7\8" (curry encode)
  ]
  where
    counted = encode [49 :: Word8, 50]
    alone name input f = Subject name "\7\8" $ \a b use -> withMVar lock $ \_ -> do
      writeIORef slowBytes (a, b)
      -- So that GHC does not take the value for a constant.
      bs <- newIORef input >>= readIORef
      use (f bs)

-- The slow bytes are in the input.
inputs :: [Subject]
inputs =
  [ pureValue "runGetLazy, slow chunks" "\7\8" $ \a b ->
      result (runGetLazy (getByteString 2) (slowChunks a b)),
    pureValue "runGetLazy, slow chunks in <|>" "\7\8" $ \a b ->
      result (runGetLazy ((getByteString 2 *> empty) <|> getByteString 2) (slowChunks a b)),
    pureValue "getRemainingLazyByteString" "\7\8" $ \a b ->
      either (const "failed") L.toStrict (runGetLazy getRemainingLazyByteString (slowChunks a b)),
    Subject "Feed" "\7\8" $ \a b use -> use $
      unsafePerformIO $ do
        state <- newFeed (two a b) >>= (`feed` "1") >>= (`feed` "2")
        case state of
          FeedDone _ _ bs -> pure bs
          _ -> pure "not done"
  ]
  where
    slowChunks a b = L.fromStrict (S.singleton a) <> L.fromStrict (S.singleton b)

-- Each in the middle of another.
nested :: [Subject]
nested =
  [ pureValue "lazy output of a strict run of lazy output" "\7\8" $ \a b ->
      L.toStrict (toLazyByteString (word8 (decoded a) <> word8 (decoded b))),
    pureValue "a strict run in a lazy one in push mode" "\7\8" $ \a b ->
      case runGetIncremental (two (lazily a) (lazily b) <|> pure "other") `pushChunks` "12" of
        Done _ _ bs -> bs
        _ -> "not done"
  ]
  where
    decoded x = either (const 0) id (runGet (one (written x) <|> pure 0) "1")
    written x = L.head (toLazyByteString (word8 x))
    lazily x = either (const 0) id (runGetLazy (one (decoded x) <|> pure 0) "1")
