{-# LANGUAGE RankNTypes #-}
-- The deprecated functions are tested, too.
{-# OPTIONS_GHC -Wno-deprecations #-}

-- |
-- Module      : Rows.BinaryGet
-- Description : The functions of binary's Get
module Rows.BinaryGet (rows) where

import qualified Ashlar.Compat.Binary.Get as A
import Control.Applicative (empty)
import Control.Exception
import qualified Data.Binary.Get as B
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L (ByteString (..))
import Data.Int (Int64)
import qualified Data.List as List
import Decoders
import Samples (edges)
import Seen
import Threads

-- | The states of both libraries.
data Step a
  = Done S.ByteString Int64 a
  | Partial (Maybe S.ByteString -> Step a)
  | Fail S.ByteString Int64 String

ours :: Library A.Get
ours =
  Library
    { runs = take 2 ways,
      runsAlone = drop 2 ways,
      onLazy = \g -> shown . A.runGetOrFail g,
      forcesLate = True,
      oneByte = A.getWord8,
      offset = toInteger <$> A.bytesRead,
      isolated = A.isolate,
      named = A.label,
      ahead = A.lookAhead,
      aheadM = A.lookAheadM,
      aheadE = A.lookAheadE
    }
  where
    ways = runsBy A.runGetOrFail A.runGet (step . A.runGetIncremental) byChunks atOnce A.runGetState
    step :: A.Decoder a -> Step a
    step d = case d of
      A.Done rest at x -> Done rest at x
      A.Partial k -> Partial (step . k)
      A.Fail rest at text -> Fail rest at text
    byChunks g = step . A.pushEndOfInput . List.foldl' A.pushChunk (A.runGetIncremental g)
    atOnce g = step . A.pushEndOfInput . A.pushChunks (A.runGetIncremental g)

theirs :: Library B.Get
theirs =
  Library
    { runs = take 2 ways,
      runsAlone = drop 2 ways,
      onLazy = \g -> shown . B.runGetOrFail g,
      forcesLate = True,
      oneByte = B.getWord8,
      offset = toInteger <$> B.bytesRead,
      isolated = B.isolate,
      named = B.label,
      ahead = B.lookAhead,
      aheadM = B.lookAheadM,
      aheadE = B.lookAheadE
    }
  where
    ways = runsBy B.runGetOrFail B.runGet (step . B.runGetIncremental) byChunks atOnce B.runGetState
    step :: B.Decoder a -> Step a
    step d = case d of
      B.Done rest at x -> Done rest at x
      B.Partial k -> Partial (step . k)
      B.Fail rest at text -> Fail rest at text
    byChunks g = step . B.pushEndOfInput . List.foldl' B.pushChunk (B.runGetIncremental g)
    atOnce g = step . B.pushEndOfInput . B.pushChunks (B.runGetIncremental g)

-- | What 'B.runGetOrFail' returns.
type Result a = Either (L.ByteString, Int64, String) (L.ByteString, Int64, a)

shown :: Show a => Result a -> String
shown = either (const "failure") show

runsBy ::
  (forall a. g a -> L.ByteString -> Result a) ->
  (forall a. g a -> L.ByteString -> a) ->
  (forall a. g a -> Step a) ->
  (forall a. g a -> [S.ByteString] -> Step a) ->
  (forall a. g a -> L.ByteString -> Step a) ->
  (forall a. g a -> L.ByteString -> Int64 -> (a, L.ByteString, Int64)) ->
  [Run g]
runsBy orFail run begin byChunks atOnce state =
  [ Run "runGetOrFail" [] (\g -> end . orFail g . lazy),
    Run "runGetIncremental" [] (\g -> pure . steps (begin g)),
    Run "runGet" [] (\g input -> thrown (noted . show <$> evaluate (run g (lazy input)))),
    Run "runGetState" [] $ \g input ->
      thrown $ do
        (x, rest, at) <- evaluate (state g (lazy input) 3)
        pure (noted (show (x, rest, at))),
    Run "resumed again" [] $ \g input -> case begin g of
      Partial k ->
        let resumed = foldMap (\c -> steps (k (Just c)) (drop 1 input)) (take 1 input)
         in pure (resumed <> resumed)
      d -> pure (steps d input),
    Run "pushChunk" [] (\g -> pure . ended . byChunks g),
    Run "pushChunks" [] (\g -> pure . ended . atOnce g . lazy),
    Run "masked" [] (\g -> mask_ . end . orFail g . lazy),
    Run "by two threads" [] $ \g input ->
      let result = orFail g (lazy input) in inThreads [end result, end result]
  ]
  where
    -- Also with empty chunks, which lazy ByteStrings must not have but which somebody may make.
    lazy = foldr L.Chunk L.Empty
    end :: Show a => Result a -> IO Seen
    end = either (\(rest, at, text) -> pure (failed rest at (known text))) (pure . noted . show)
    thrown act = act `catch` \(ErrorCall _) -> pure (noted "an ErrorCall")
    -- How many states a user sees, and the last.
    steps :: Show a => Step a -> [S.ByteString] -> Seen
    steps d input = case d of
      Partial k -> case input of
        [] -> noted "end" <> steps (k Nothing) []
        c : more -> noted "partial" <> steps (k (Just c)) more
      Done rest at x -> noted (show (at, x)) <> noted (show (S.concat (rest : input)))
      Fail rest at text -> failed (L.fromStrict (S.concat (rest : input))) at (known text)
    ended :: Show a => Step a -> Seen
    ended d = case d of
      Partial _ -> noted "partial"
      Done rest at x -> noted (show (rest, at, x))
      Fail rest at text -> failed (L.fromStrict rest) at (known text)
    -- The text about isolate differs. The labels after it do not.
    known text
      | "isolate" `List.isPrefixOf` text = "isolate" ++ dropWhile (/= '\n') text
      | otherwise = text

is :: Show a => String -> A.Get a -> B.Get a -> Row
is name = Row name [] ours theirs

-- | It may succeed without reading.
may :: Show a => String -> A.Get a -> B.Get a -> Row
may name = Row name [MayReadNothing] ours theirs

-- | It does not give back what it passed. See docs/porting.md.
passes :: Show a => String -> A.Get a -> B.Get a -> Row
passes name = Row name [MayReadNothing, OtherRest] ours theirs

-- | With numbers at the edges.
numbered ::
  Show a =>
  String ->
  (Int -> [Trait]) ->
  (Int -> A.Get a) ->
  (Int -> B.Get a) ->
  [Row]
numbered name traits f g =
  [ Row (name ++ " " ++ text) (MayReadNothing : traits n) ours theirs (f n) (g n)
    | (text, n) <- edges
  ]

rows :: [Row]
rows =
  numbered
    "isolate"
    (\n -> [ReadsNothing | n <= 0])
    (`A.isolate` A.getWord16be)
    (`B.isolate` B.getWord16be)
    ++ numbered "skip" (const [OtherRest]) A.skip B.skip
    ++ numbered "getByteString" (const []) A.getByteString B.getByteString
    ++ numbered "getBytes" (const []) A.getBytes B.getBytes
    ++ numbered
      "getLazyByteString"
      (const [OtherRest])
      (A.getLazyByteString . toEnum)
      (B.getLazyByteString . toEnum)
    ++ [ may "bytesRead" A.bytesRead B.bytesRead,
         may "isEmpty" A.isEmpty B.isEmpty,
         may "remaining" A.remaining B.remaining,
         may "getRemainingLazyByteString" A.getRemainingLazyByteString B.getRemainingLazyByteString,
         passes "getLazyByteStringNul" A.getLazyByteStringNul B.getLazyByteStringNul,
         may
           "label"
           (A.label "x" (A.label "" A.getWord16be))
           (B.label "x" (B.label "" B.getWord16be)),
         Row
           "empty"
           [MayReadNothing, ReadsNothing, OtherMessage]
           ours
           theirs
           (empty :: A.Get ())
           (empty :: B.Get ()),
         Row
           "fail"
           [MayReadNothing, ReadsNothing]
           ours
           theirs
           (fail "" :: A.Get ())
           (fail "" :: B.Get ()),
         may "lookAhead" (A.lookAhead A.getWord16be) (B.lookAhead B.getWord16be),
         may
           "lookAhead in itself"
           (A.lookAhead ((,) <$> A.getWord8 <*> A.lookAhead A.getWord8))
           (B.lookAhead ((,) <$> B.getWord8 <*> B.lookAhead B.getWord8)),
         may "lookAheadM" (A.lookAheadM (odds <$> A.getWord8)) (B.lookAheadM (odds <$> B.getWord8)),
         may
           "lookAheadE"
           (A.lookAheadE (sides <$> A.getWord16le))
           (B.lookAheadE (sides <$> B.getWord16le)),
         is "getDoublebe" A.getDoublebe B.getDoublebe,
         is "getDoublehost" A.getDoublehost B.getDoublehost,
         is "getDoublele" A.getDoublele B.getDoublele,
         is "getFloatbe" A.getFloatbe B.getFloatbe,
         is "getFloathost" A.getFloathost B.getFloathost,
         is "getFloatle" A.getFloatle B.getFloatle,
         is "getInt16be" A.getInt16be B.getInt16be,
         is "getInt16host" A.getInt16host B.getInt16host,
         is "getInt16le" A.getInt16le B.getInt16le,
         is "getInt32be" A.getInt32be B.getInt32be,
         is "getInt32host" A.getInt32host B.getInt32host,
         is "getInt32le" A.getInt32le B.getInt32le,
         is "getInt64be" A.getInt64be B.getInt64be,
         is "getInt64host" A.getInt64host B.getInt64host,
         is "getInt64le" A.getInt64le B.getInt64le,
         is "getInt8" A.getInt8 B.getInt8,
         is "getInthost" A.getInthost B.getInthost,
         is "getWord16be" A.getWord16be B.getWord16be,
         is "getWord16host" A.getWord16host B.getWord16host,
         is "getWord16le" A.getWord16le B.getWord16le,
         is "getWord32be" A.getWord32be B.getWord32be,
         is "getWord32host" A.getWord32host B.getWord32host,
         is "getWord32le" A.getWord32le B.getWord32le,
         is "getWord64be" A.getWord64be B.getWord64be,
         is "getWord64host" A.getWord64host B.getWord64host,
         is "getWord64le" A.getWord64le B.getWord64le,
         is "getWord8" A.getWord8 B.getWord8,
         is "getWordhost" A.getWordhost B.getWordhost
       ]
  where
    odds x = if odd x then Just x else Nothing
    sides x = if odd x then Right x else Left x
