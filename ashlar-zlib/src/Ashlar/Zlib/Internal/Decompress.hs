{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE MultiWayIf #-}

-- |
-- Module      : Ashlar.Zlib.Internal.Decompress
-- Description : Compressed input, with a limit on its expansion
module Ashlar.Zlib.Internal.Decompress
  ( decompressSource,
    decompressed,
    decompress,
    Limit (..),
    defaultLimit,
    ZlibError (..),
    getDecompressed,
  )
where

import Ashlar.Get (Get, Source, newSource)
import Ashlar.Get.Unsafe
import Ashlar.Zlib.Internal.Format
import Control.Concurrent.MVar (newMVar, withMVar)
import Control.Exception (Exception (..), allowInterrupt, mask_, throwIO)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Streaming.Zlib
  ( Inflate,
    Popper,
    PopperRes (..),
    WindowBits (..),
    ZlibException (..),
    feedInflate,
    flushInflate,
    getUnusedInflate,
    initInflate,
    isCompleteInflate,
  )
import System.IO.Unsafe (unsafePerformIO)

-- | How much may come out of compressed input. A byte of deflate can expand to 1,032 bytes, so a
-- short input can be a bomb.
data Limit = Limit
  { -- | Bytes that may come out in all.
    limitBytes :: !Int64,
    -- | Bytes that may come out for each byte that has gone in, beyond the first 64 MiB that come
    -- out. With 1032 or more, only 'limitBytes' counts.
    limitRatio :: !Int64
  }
  deriving stock (Eq, Show)

-- | 1 GiB in all, and no more than 64 MiB and 200 bytes for each byte of input. Text and records
-- expand to 3 to 30 times their size, and logs of equal lines to 400 times.
defaultLimit :: Limit
defaultLimit = Limit {limitBytes = 1073741824, limitRatio = 200}

-- | Why input cannot be decompressed.
data ZlibError
  = -- | The input ends before the compressed stream does.
    Truncated
  | -- | The bytes are no stream of this format, or are damaged: how.
    Corrupt String
  | -- | Bytes follow the end of the compressed stream. In 'Gzip' input another member may follow,
    -- and then zeros up to the end, as on tapes. The program @gzip@ ignores them, too.
    TrailingBytes
  | -- | More than this number of bytes would have come out, which is 'limitBytes'.
    TooLarge !Int64
  | -- | More than this number of bytes would have come out, which is what 'limitRatio' allows for
    -- the input so far.
    OverRatio !Int64
  deriving stock (Eq, Show)

instance Exception ZlibError where
  displayException e =
    "Ashlar.Zlib: " ++ case e of
      Truncated -> "the compressed input ends too early"
      Corrupt why -> "the compressed input is damaged: " ++ why
      TrailingBytes -> "bytes follow the compressed input"
      TooLarge n -> expands n ++ "the limit of limitBytes"
      OverRatio n ->
        expands n ++ "what limitRatio allows for its size (1032 allows all that deflate can do)"
    where
      expands n = "the compressed input expands to more than " ++ show n ++ " bytes, "

-- | A source of what comes out of compressed input. What the sender has flushed comes out at once.
-- It reads the input to its end, and takes some 100 KiB of memory. The function that runs the
-- decoder throws a 'ZlibError' if the input is refused.
--
-- 'Gzip' input may have several members, one after another. They are one stream.
--
-- >>> import Ashlar.Zlib
-- >>> import Data.IORef
-- >>> let bytes = compress gzip (foldMap word16BE [1 .. 1000])
-- >>> import qualified Data.ByteString.Lazy as L
-- >>> chunks <- newIORef (L.toChunks bytes)
-- >>> let next = atomicModifyIORef' chunks (\l -> (drop 1 l, mconcat (take 1 l)))
-- >>> source <- decompressSource Gzip defaultLimit next
-- >>> foldFrom source getWord16be (\n w -> pure (n + fromIntegral w)) (0 :: Int)
-- Right 500500
decompressSource ::
  Format ->
  Limit ->
  -- | The next chunk of the input, and an empty one at its end.
  IO ByteString ->
  IO Source
decompressSource format limit next = decompressed format limit next >>= newSource

-- | The same, as an action that returns the next chunk, and an empty one at the end.
--
-- If the input is refused, it throws a 'ZlibError', then and at each later use. No bytes beyond the
-- limit are handed out. If the input's action throws, this can be used again. Threads may share it.
decompressed ::
  Format ->
  Limit ->
  -- | The next chunk of the input, and an empty one at its end.
  IO ByteString ->
  IO (IO ByteString)
decompressed format limit next = do
  lock <- beginning format >>= newMVar
  -- A step of zlib must not be taken twice. This can be interrupted in the input's action, and
  -- between steps from which nothing came out. Of these there may be any number.
  pure (mask_ (withMVar lock (advance format limit next)) >>= either throwIO pure)

beginning :: Format -> IO (IORef Progress)
beginning format = newInflate format >>= newIORef . Progress S.empty 0 0 . Waiting

newInflate :: Format -> IO Inflate
newInflate format = initInflate . WindowBits $ case format of
  Gzip -> 31
  Zlib -> 15
  Raw -> -15

-- The input that has been read and not passed, the number of bytes that zlib has been fed, the
-- number of those that have been handed out, and where the stream is.
data Progress = Progress !ByteString !Int64 !Int64 !Stage

data Stage
  = -- | Nothing comes out without more input.
    Waiting !Inflate
  | -- | What the input so far gives. Zlib has been fed this many bytes of what is not passed.
    Pouring !Inflate Popper !Int
  | -- | A compressed stream has ended. Another may follow.
    Between
  | -- | Zeros have followed. Only zeros may.
    Padding
  | -- | The input's end has been seen.
    Ended
  | Failed !ZlibError

-- The next bytes that come out, or none at the end. There are no handlers here, so an action that
-- is a pure value can be interrupted and resumed.
--
-- zlib fills its buffer before it hands it out. What a flush of the sender's has completed must not
-- wait for that, so the buffer is emptied whenever the input is used up.
advance :: Format -> Limit -> IO ByteString -> IORef Progress -> IO (Either ZlibError ByteString)
advance format limit next ref = go
  where
    go = do
      Progress input used out stage <- readIORef ref
      let failWith e = Left e <$ writeIORef ref (Progress S.empty used out (Failed e))
          ended = Right S.empty <$ writeIORef ref (Progress S.empty used out Ended)
          -- Hand out some bytes, which may be none, and continue there.
          giving bs input' used' stage' = case tooMuch limit used out' of
            Just e -> failWith e
            Nothing -> do
              writeIORef ref (Progress input' used' out' stage')
              if S.null bs then allowInterrupt >> go else pure (Right bs)
            where
              out' = out + fromIntegral (S.length bs)
      case stage of
        Ended -> pure (Right S.empty)
        Failed e -> pure (Left e)
        Waiting inflate -> do
          chunk <- if S.null input then next else pure input
          let now = S.take 65536 chunk
              expected = S.take (S.length now) (S.drop (fromIntegral (min 2 used)) magic)
          if
              | S.null chunk -> failWith Truncated
              | format == Gzip && not (expected `S.isPrefixOf` now) ->
                failWith (Corrupt "it does not begin as gzip does")
              | otherwise -> do
                popper <- feedInflate inflate now
                let n = S.length now
                giving S.empty chunk (used + fromIntegral n) (Pouring inflate popper n)
        Pouring inflate popper n -> do
          (bs, outcome) <- pour inflate popper
          case outcome of
            More -> giving bs input used stage
            Drained -> giving bs (S.drop n input) used (Waiting inflate)
            -- The input is not copied: it may begin many short members.
            Complete unused
              | left <- S.length unused ->
                giving bs (S.drop (n - left) input) (used - fromIntegral left) Between
            Spoilt e -> giving bs S.empty used (Failed e)
        Between
          | S.null input || format == Gzip && input == S.take 1 magic -> do
            more <- next
            if
                | not (S.null more) -> giving S.empty (input <> more) used Between
                | S.null input -> ended
                | otherwise -> failWith TrailingBytes
          | format == Gzip && magic `S.isPrefixOf` input ->
            newInflate format >>= giving S.empty input used . Waiting
          | format == Gzip && S.head input == 0 -> giving S.empty input used Padding
          | otherwise -> failWith TrailingBytes
        Padding
          | S.any (/= 0) input -> failWith TrailingBytes
          | otherwise -> do
            more <- next
            if S.null more then ended else giving S.empty more used Padding
    -- How a member of gzip begins.
    magic = S.pack [0x1F, 0x8B]

-- Why no more may come out, given how many bytes have gone in, and would have come out.
tooMuch :: Limit -> Int64 -> Int64 -> Maybe ZlibError
tooMuch (Limit most ratio) used out
  | out <= min most byRatio = Nothing
  | most <= byRatio = Just (TooLarge most)
  | otherwise = Just (OverRatio byRatio)
  where
    byRatio = 67108864 + saturated
    saturated
      | ratio > 0 && used > maxBound `div` 2 `div` ratio = maxBound `div` 2
      | otherwise = used * max 0 ratio

-- What has come of the input that zlib was fed.
data Poured
  = -- There may be more.
    More
  | -- All of it is used.
    Drained
  | -- The stream has ended before these bytes.
    Complete !ByteString
  | Spoilt !ZlibError

-- Let the next bytes come out.
pour :: Inflate -> Popper -> IO (ByteString, Poured)
pour inflate popper = do
  outcome <- popper
  case outcome of
    PRNext bs -> pure (bs, More)
    PRError (ZlibException code) -> flushed (pure (Spoilt (Corrupt (reason code))))
    PRDone -> flushed $ do
      complete <- isCompleteInflate inflate
      unused <- getUnusedInflate inflate
      pure $
        if
            | complete -> Complete unused
            | S.null unused -> Drained
            -- For nothing else zlib stops within its input without an error.
            | otherwise -> Spoilt (Corrupt "it needs a dictionary")
  where
    flushed ended = (,) <$> flushInflate inflate <*> ended
    reason code = case code of
      -3 -> "invalid data, or a wrong checksum"
      _ -> "zlib's error " ++ show code

-- | A decoder of one compressed stream, which says itself where it ends: in an archive, an image, a
-- document. What follows it comes next. (Of 'Gzip' it is one member.) The result is complete before
-- it is returned.
--
-- If the input is refused, this is an 'Ashlar.Get.Invalid' error where the stream begins, with the
-- text of the 'ZlibError'. If the input ends before the stream does, bytes are missing there.
--
-- >>> import Ashlar.Zlib
-- >>> let file = toLazyByteString (word8 9 <> compressed zlib "brick" <> "!")
-- >>> runGetLazy ((,) <$> (getWord8 *> getDecompressed Zlib defaultLimit) <*> getWord8) file
-- Right ("brick",33)
--
-- To decode what has come out, use 'Ashlar.Get.inSpan' and 'Ashlar.Get.ownBytes'.
getDecompressed ::
  Format ->
  -- | How much the result may take, in bytes, and compared with the input.
  Limit ->
  Get L.ByteString
getDecompressed format limit = getForeign (hungry 0 0 [] <$> newInflate format)
  where
    -- Given how many bytes have gone in, and have come out, and these, the last first.
    hungry used out done inflate =
      Hungry $ maybe (pure (hungry used out done inflate)) (fed used out done inflate)
    fed used out done inflate chunk = do
      -- What may come out does not depend on the chunks: it counts for each 64 KiB that go in.
      let (now, later) = S.splitAt (65536 - fromIntegral (used `rem` 65536)) chunk
          used' = used + fromIntegral (S.length now)
          counted = used - used `rem` 65536 + 65536
          go popper out' done' = do
            (bs, outcome) <- pour inflate popper
            let more = out' + fromIntegral (S.length bs)
                done'' = if S.null bs then done' else bs : done'
            case tooMuch limit counted more of
              Just e -> pure (refused e)
              Nothing -> case outcome of
                More -> go popper more done''
                Drained
                  | S.null later -> pure (hungry used' more done'' inflate)
                  | otherwise -> fed used' more done'' inflate later
                Complete unused ->
                  pure (Enough (S.length unused + S.length later) (L.fromChunks (reverse done'')))
                Spoilt e -> pure (refused e)
      popper <- feedInflate inflate now
      go popper out done
    refused = Refused . displayException

-- | Decompress all of a lazy ByteString. The result is complete before it is returned, so it may
-- take as much memory as the limit allows: 1 GiB by default.
--
-- >>> import Ashlar.Zlib
-- >>> decompress Zlib defaultLimit (compress zlib "brick")
-- Right "brick"
-- >>> let zeros = mconcat (replicate 2000000 (word8 0))
-- >>> decompress Zlib defaultLimit {limitBytes = 1000} (compress zlib zeros)
-- Left (TooLarge 1000)
decompress ::
  -- | The format of the input.
  Format ->
  -- | How much the result may take, in bytes, and compared with the input.
  Limit ->
  L.ByteString ->
  Either ZlibError L.ByteString
decompress format limit bytes = unsafePerformIO $ do
  chunks <- newIORef (L.toChunks bytes)
  progress <- beginning format
  let next = do
        list <- readIORef chunks
        case list of
          [] -> pure S.empty
          chunk : rest -> chunk <$ writeIORef chunks rest
      collect done = do
        outcome <- advance format limit next progress
        case outcome of
          Left e -> pure (Left e)
          Right bs
            | S.null bs -> pure (Right (L.fromChunks (reverse done)))
            | otherwise -> collect (bs : done)
  collect []
