{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE UnboxedTuples #-}
-- The chunks must not become constants, which would be kept.
{-# OPTIONS_GHC -fno-full-laziness #-}

-- |
-- Module      : Tests.Kept
-- Description : What a decoded string keeps alive
--
-- Each chunk of input has a finalizer, which the collector runs when nothing refers to the chunk.
module Tests.Kept (tests) where

import Ashlar.Codec (Codec, decodeFrom, encode, get)
import Ashlar.Codec.Wrappers (Compact (..), Copied (..), UTF16 (..))
import qualified Ashlar.Compat.Binary as OurBinary
import qualified Ashlar.Compat.Binary.Get as OurBinary
import qualified Ashlar.Compat.Cereal as OurCereal
import qualified Ashlar.Compat.Store as OurStore
import Ashlar.Get
import Ashlar.Get.Feed (feedValues, runGetValues)
import Control.Concurrent (threadDelay)
import Control.Exception (evaluate)
import qualified Data.Binary as Binary
import qualified Data.Binary.Get as BinaryGet
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.IORef
import qualified Data.Map as M
import qualified Data.Serialize as Cereal
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Foreign.Concurrent (addForeignPtrFinalizer)
import Foreign.ForeignPtr (mallocForeignPtrBytes, withForeignPtr)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (plusPtr)
import GHC.Exts (Int (I#), getSizeofMutableByteArray#)
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (..))
import GHC.IO (IO (..))
import System.Directory (getTemporaryDirectory, removeFile)
import System.IO
import System.Mem (performMajorGC)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "what a decoded string keeps alive"
    [ testGroup
        "a ByteString is a slice"
        [ways "ByteString" slice key, ways "in a map" slice inMap],
      testGroup
        "a lazy ByteString is slices"
        [ways "Lazy.ByteString" slices (L.fromStrict key), ways "Compact" slices (Compact lazyKey)],
      testGroup
        "all others are copies"
        [ ways "Copied ByteString" nothing (Copied key),
          ways "Copied Lazy.ByteString" nothing (Copied lazyKey),
          ways "Compact (Copied ByteString)" nothing (Compact (Copied key)),
          ways "Copied ByteString, as keys" nothing (M.fromList [(Copied key, True)]),
          ways "ShortByteString" nothing (SBS.toShort key),
          ways "Text" nothing ("key" :: T.Text),
          ways "Lazy.Text" nothing ("key" :: TL.Text),
          ways "UTF16" nothing (UTF16 "key")
        ],
      testGroup
        "read from a Handle, a slice keeps what was read at once"
        [ fromHandle "ByteString" id 65536 key,
          fromHandle "Lazy.ByteString" L.toStrict 65536 lazyKey,
          fromHandle "Copied ByteString" getCopied 16 (Copied key),
          fromHandle "Copied Lazy.ByteString" (L.toStrict . getCopied) 16 (Copied lazyKey)
        ],
      testCase "what a state keeps of short chunks" shortChunks,
      testGroup "as in binary" binary,
      testGroup "as in cereal" cereal,
      testGroup "as in store, which copies" store
    ]
  where
    inMap = M.fromList [(1 :: Int, key)]
    slice = Keeps True False
    slices = Keeps True True
    nothing = Keeps False False

-- | Before and after the value. (Two small strings could share a block of memory, which the
-- collector keeps as a whole.)
pad :: S.ByteString
pad = S.replicate padding 0

padding :: Int
padding = 100000

padded :: Get a -> Get a
padded g = skip padding *> g

key :: S.ByteString
key = "key"

lazyKey :: L.ByteString
lazyKey = "key"

-- The chunks that a Partial has been fed, for its second use, are copies if they are short.
shortChunks :: Assertion
shortChunks = do
  (chunk, gone) <- tracked pad
  let state = runGetIncremental (skip padding) `pushChunk` S.take 100 chunk `pushChunk` "end"
  _ <- evaluate state
  readIORef gone `becomes` True
  case pushEndOfInput (state `pushChunk` S.drop 103 pad) of
    Done {} -> pure ()
    _ -> assertFailure "not done"

-- | Is the chunk kept that has all of the value? Are the two that have a part each?
data Keeps = Keeps Bool Bool

-- | Every way to decode a value from chunks that are in memory. Much follows the value.
ways :: (Codec a, Eq a) => String -> Keeps -> a -> TestTree
ways name (Keeps one two) x =
  testGroup name $
    [ testCase "runGet" $ keeps [one] [whole] (\chunks -> runGet g (S.concat chunks)) x,
      testCase "runGetRest" $
        keeps [one] [whole] (\chunks -> fst <$> runGetRest (padded get) (S.concat chunks)) x
    ]
      ++ [ testCase (way ++ part) $ keeps (map (const kept) chunks) chunks run' x
           | (part, chunks, kept) <- splits,
             (way, run') <- pure'
         ]
      ++ [ testCase ("getFrom" ++ part) $ keepsIO (map (const kept) chunks) chunks fromSource x
           | (part, chunks, kept) <- splits
         ]
  where
    splits = [("", [whole], one), (", in two chunks", [begin, end], two)]
    g = padded get <* skip padding
    bytes = encode x
    whole = pad <> bytes <> pad
    -- The last byte of the value is in the second chunk.
    (begin, end) = S.splitAt (padding + S.length bytes - 1) whole
    pure' =
      [ ("runGetLazy", runGetLazy g . L.fromChunks),
        ("runGetOrFail", either (Left . third) (Right . third) . runGetOrFail g . L.fromChunks),
        ("runGetIncremental", incremental . L.fromChunks),
        ("feedValues", values)
      ]
    third (_, _, z) = z
    incremental lbs = case pushEndOfInput (pushChunks (runGetIncremental g) lbs) of
      Done _ _ a -> Right a
      Fail _ _ e -> Left e
      Partial _ -> error "more input"
    values = go (runGetValues g)
      where
        go state cs = case cs of
          [] -> error "no value"
          c : more -> case feedValues state c of
            (a : _, _) -> Right a
            ([], state') -> go state' more
    fromSource chunks = do
      left <- newIORef chunks
      source <- newSource (atomicModifyIORef' left (\cs -> (drop 1 cs, S.concat (take 1 cs))))
      getFrom source (padded get)

keeps ::
  (Eq a, Show e) => [Bool] -> [S.ByteString] -> ([S.ByteString] -> Either e a) -> a -> Assertion
keeps expected chunks f = keepsIO expected chunks (\cs -> evaluate (f cs))

-- | Which chunks are kept by the value, and is it this one?
keepsIO ::
  (Eq a, Show e) =>
  [Bool] ->
  [S.ByteString] ->
  ([S.ByteString] -> IO (Either e a)) ->
  a ->
  Assertion
keepsIO expected chunks f x = do
  (found, gone) <- decoded chunks f
  (map not <$> mapM readIORef gone) `becomes` expected
  assertBool "another value" (found == x)

-- | What the finalizers say is this, when they have run: in a thread of their own, after a
-- collection.
becomes :: (Eq a, Show a) => IO a -> a -> Assertion
becomes seen expected = settle (300 :: Int)
  where
    settle n = do
      now <- afterCollection
      if now == expected || n == 0 then afterCollection >>= (@?= expected) else settle (n - 1)
    afterCollection = performMajorGC >> threadDelay 1000 >> seen

decoded ::
  Show e => [S.ByteString] -> ([S.ByteString] -> IO (Either e a)) -> IO (a, [IORef Bool])
decoded chunks f = do
  (cs, gone) <- unzip <$> mapM tracked chunks
  r <- f cs
  case r of
    Right a -> do
      _ <- evaluate a
      pure (a, gone)
    Left e -> assertFailure (show e)
{-# NOINLINE decoded #-}

-- | The same bytes in memory of their own, and whether the collector has found that it is not used.
tracked :: S.ByteString -> IO (S.ByteString, IORef Bool)
tracked bs = do
  gone <- newIORef False
  fp <- mallocForeignPtrBytes n
  addForeignPtrFinalizer fp (writeIORef gone True)
  withForeignPtr fp $ \p -> case S.toForeignPtr bs of
    (from, off, _) -> withForeignPtr from (\q -> copyBytes p (q `plusPtr` off) n)
  pure (S.fromForeignPtr fp 0 n, gone)
  where
    n = S.length bs
{-# NOINLINE tracked #-}

fromHandle :: (Codec a, Eq a) => String -> (a -> S.ByteString) -> Int -> a -> TestTree
fromHandle name string most x = testCase name $ do
  folder <- getTemporaryDirectory
  (path, h) <- openBinaryTempFile folder "ashlar-kept"
  S.hPut h (encode x <> S.replicate 1000000 0)
  hSeek h AbsoluteSeek 0
  source <- handleSource h
  found <- decodeFrom source
  hClose h
  removeFile path
  case found of
    Left e -> assertFailure (show e)
    Right a -> do
      assertBool "another value" (a == x)
      n <- memoryBehind (string a)
      assertBool (show n) (n >= 3 && n <= most)

-- | The bytes of the memory that a string lies in.
memoryBehind :: S.ByteString -> IO Int
memoryBehind bs = case S.toForeignPtr bs of
  (ForeignPtr _ contents, _, _) -> case contents of
    PlainPtr arr -> sized arr
    MallocPtr arr _ -> sized arr
    _ -> assertFailure "memory that is not the collector's"
  where
    sized arr = IO $ \s -> case getSizeofMutableByteArray# arr s of (# s', n #) -> (# s', I# n #)

-- | Ours and the original, on the same chunks. A string in one chunk, and in two.
both ::
  (Eq a) =>
  String ->
  Keeps ->
  (a -> S.ByteString) ->
  ([S.ByteString] -> a) ->
  ([S.ByteString] -> a) ->
  a ->
  [TestTree]
both name (Keeps one two) write theirs ours x =
  [ testCase (name ++ part ++ side) $
      keepsIO (map (const kept) chunks) chunks (fmap right . evaluate . f) x
    | (side, f) <- [(", original", theirs), (", ours", ours)],
      (part, chunks, kept) <- [("", [whole], one), (", in two chunks", [begin, end], two)]
  ]
  where
    bytes = write x
    whole = pad <> bytes <> pad
    (begin, end) = S.splitAt (padding + S.length bytes - 1) whole

-- A decoder that cannot fail, or throws.
right :: a -> Either () a
right = Right

binary :: [TestTree]
binary =
  both "ByteString" (Keeps True False) written theirs ours key
    ++ both "Lazy.ByteString" (Keeps True True) written theirs ours lazyKey
    ++ both "ShortByteString" (Keeps False False) written theirs ours (SBS.toShort key)
    ++ both "Text" (Keeps False False) written theirs ours ("key" :: T.Text)
  where
    written :: Binary.Binary a => a -> S.ByteString
    written = L.toStrict . Binary.encode
    theirs :: Binary.Binary a => [S.ByteString] -> a
    theirs = BinaryGet.runGet (BinaryGet.skip padding *> Binary.get) . L.fromChunks
    ours :: OurBinary.Binary a => [S.ByteString] -> a
    ours = OurBinary.runGet (padded OurBinary.get) . L.fromChunks

cereal :: [TestTree]
cereal =
  both "ByteString" (Keeps False False) Cereal.encode theirs ours key
    ++ both "Lazy.ByteString" (Keeps False False) Cereal.encode theirs ours lazyKey
    ++ both "ShortByteString" (Keeps False False) Cereal.encode theirs ours (SBS.toShort key)
    ++ both "getBytes" (Keeps True False) Cereal.encode theirSlice ourSlice key
    ++ both "getLazyByteString" (Keeps False False) Cereal.encode theirLazy ourLazy lazyKey
  where
    theirs :: Cereal.Serialize a => [S.ByteString] -> a
    theirs = byTheirs Cereal.get
    ours :: OurCereal.Serialize a => [S.ByteString] -> a
    ours = byOurs OurCereal.get
    byTheirs g = either error id . Cereal.runGetLazy (Cereal.skip padding *> g) . L.fromChunks
    byOurs g = either error id . OurCereal.runGetLazy (padded g) . L.fromChunks
    theirSlice = byTheirs (Cereal.getWord64be >>= Cereal.getBytes . fromIntegral)
    ourSlice = byOurs (OurCereal.getWord64be >>= OurCereal.getBytes . fromIntegral)
    theirLazy = byTheirs (Cereal.getWord64be >>= Cereal.getLazyByteString . fromIntegral)
    ourLazy = byOurs (OurCereal.getWord64be >>= OurCereal.getLazyByteString . fromIntegral)

-- (That store copies can be seen in its source. It is not among the libraries that this suite
-- needs.)
store :: [TestTree]
store =
  [ copies "ByteString" key,
    copies "Lazy.ByteString" lazyKey,
    copies "ShortByteString" (SBS.toShort key),
    copies "Text" ("key" :: T.Text)
  ]
  where
    copies :: forall a. (OurStore.Store a, Eq a) => String -> a -> TestTree
    copies name x =
      testCase name $
        keeps
          [False]
          [OurStore.encode x <> pad]
          (\cs -> right (snd (OurStore.decodeExPortionWith OurStore.peek (S.concat cs))))
          x
