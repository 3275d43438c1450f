{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Seen
-- Description : What a user of a library sees
module Seen
  ( Seen,
    bytes,
    seeing,
    noted,
    failed,
    lastOf,
    withoutRest,
    withoutMessage,
    exceptionOnly,
    upTo,
    partOf,
    differ,
  )
where

import Control.Exception
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L (ByteString (..))
import Data.Int (Int64)
import Data.Maybe (fromMaybe)

-- | One after the other.
newtype Seen = Seen [Event]
  deriving newtype (Semigroup, Monoid)

data Event
  = Bytes L.ByteString
  | -- | Perhaps not all, since some are in a buffer that nobody got. At most this many are missing.
    Some Int L.ByteString
  | -- | A decoder's failure: the rest, the offset, and the message.
    Failed (Maybe (L.ByteString, Int64)) (Maybe String)
  | Raised String
  | Noted String
  deriving stock (Eq)

agree :: Event -> Event -> Bool
agree (Some n xs) (Some m ys) =
  L.take common xs == L.take common ys
    && L.length xs <= common + fromIntegral m
    && L.length ys <= common + fromIntegral n
  where
    common = min (L.length xs) (L.length ys)
agree x y = x == y

failed :: L.ByteString -> Int64 -> String -> Seen
failed rest at text = Seen [Failed (Just (rest, at)) (Just text)]

-- | What is seen last.
lastOf :: Seen -> Seen
lastOf (Seen events) = Seen (take 1 (reverse events))

withoutRest :: Seen -> Seen
withoutRest (Seen events) =
  Seen [case e of Failed _ text -> Failed Nothing text; _ -> e | e <- events]

withoutMessage :: Seen -> Seen
withoutMessage (Seen events) =
  Seen [case e of Failed rest _ -> Failed rest Nothing; _ -> e | e <- events]

-- | The bytes, up to the exception if there is one.
bytes :: L.ByteString -> IO Seen
bytes = go []
  where
    go done output = do
      forced <- try (evaluate output)
      case forced of
        Left (e :: SomeException) -> pure (Seen (string done ++ [Raised (show e)]))
        Right L.Empty -> pure (Seen (string done))
        Right (L.Chunk bs more) -> go (bs : done) more
    string done = [Bytes (L.fromChunks (reverse done))]

-- | Also the exception.
seeing :: IO Seen -> IO Seen
seeing act = try act >>= either (\(e :: SomeException) -> pure (Seen [Raised (show e)])) pure

noted :: String -> Seen
noted x = Seen [Noted x]

-- | These bytes, of which the last n may be missing.
partOf :: Int -> S.ByteString -> Seen
partOf n bs = Seen [Some n (L.fromStrict bs)]

-- | The exception without the bytes before it.
exceptionOnly :: Seen -> Seen
exceptionOnly = upTo maxBound

-- | Before an exception, the last n bytes may be missing.
upTo :: Int -> Seen -> Seen
upTo n (Seen events) = Seen (go events)
  where
    go es = case es of
      Bytes bs : Raised e : more
        | n == maxBound -> Raised e : go more
        | otherwise -> Some n bs : Raised e : go more
      e : more -> e : go more
      [] -> []

-- | A line if the two do not see the same.
differ :: String -> String -> IO Seen -> IO Seen -> IO [String]
differ sample circumstance mine his = do
  Seen a <- seeing mine
  Seen b <- seeing his
  pure
    [ concat
        [sample, ", ", circumstance, ":\n    ours   ", display x, "\n    theirs ", display y]
      | length a /= length b || not (and (zipWith agree a b)),
        (x, y) <- take 1 (filter (not . both agree) (zip (pad a) (pad b)))
    ]
  where
    pad events = map Just events ++ repeat Nothing
    both f (x, y) = fromMaybe False (f <$> x <*> y)
    display = maybe "nothing" event

event :: Event -> String
event e = case e of
  Bytes bs
    | L.length bs > 60 -> show (L.length bs) ++ " bytes: " ++ show (L.take 60 bs)
    | otherwise -> show (S.unpack (L.toStrict bs))
  Some _ bs -> event (Bytes bs) ++ ", and then an exception"
  Failed rest text -> "failure: " ++ show rest ++ maybe "" (", " ++) text
  Raised text -> "exception: " ++ text
  Noted text -> text
