-- |
-- Module      : Shapes
-- Description : Work for builders, written once for all libraries
module Shapes
  ( -- * Trees
    HexTree,
    balanced,
    hexTree,
    fibonacci,
    leaves,

    -- * Appends
    toTheRight,
    toTheLeft,
    folded,
    foldedWithBytes,

    -- * A user's own loop
    ownRecursion,

    -- * Endless loops
    records,
    numbers,

    -- * JSON
    document,
    json,
  )
where

import qualified Ashlar.Builder as A
import qualified Data.Aeson as Aeson
import qualified Data.Aeson.Key as Key
import qualified Data.Aeson.KeyMap as KeyMap
import Data.Bifunctor (first)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Char8 as C
import qualified Data.List as List
import Data.Scientific (base10Exponent, coefficient, toRealFloat)
import qualified Data.Text as T
import qualified Data.Vector as V
import qualified Data.Vector.Unboxed as U
import Data.Word (Word64)
import Output

-- | A tree with words at its leaves.
data HexTree = Leaf !Word | Fork HexTree HexTree

-- | This many times the same, by a recursion that splits the number.
leaves :: Monoid b => b -> Int -> b
leaves leaf = go
  where
    go n
      | n <= 1 = leaf
      | otherwise = go (n `div` 2) <> go (n - n `div` 2)
{-# INLINE leaves #-}

-- | A balanced tree of this many leaves.
balanced :: Word -> HexTree
balanced = go 0
  where
    go from count
      | count <= 1 = Leaf (from * 0x9E3779B97F4A7C15)
      | otherwise = Fork (go from half) (go (from + half) (count - half))
      where
        half = count `div` 2

-- | The words of a tree in hexadecimal.
hexTree :: Output b => HexTree -> b
hexTree (Leaf x) = wordHex x
hexTree (Fork l r) = hexTree l <> hexTree r
{-# SPECIALIZE hexTree :: HexTree -> A.Builder #-}
{-# SPECIALIZE hexTree :: HexTree -> B.Builder #-}

-- | A call for each character.
fibonacci :: Output b => Int -> b
fibonacci 0 = char7 'a'
fibonacci 1 = char7 'b'
fibonacci n = fibonacci (n - 1) <> fibonacci (n - 2)
{-# SPECIALIZE fibonacci :: Int -> A.Builder #-}
{-# SPECIALIZE fibonacci :: Int -> B.Builder #-}

-- | A loop over the elements of a vector, as users write it.
ownRecursion :: Output b => U.Vector Word64 -> b
ownRecursion v = go 0
  where
    go i
      | i >= U.length v = mempty
      | otherwise = word8 (fromIntegral (v U.! i)) <> word64LE (v U.! i) <> go (i + 1)
{-# SPECIALIZE ownRecursion :: U.Vector Word64 -> A.Builder #-}
{-# SPECIALIZE ownRecursion :: U.Vector Word64 -> B.Builder #-}

five :: Output b => b
five = byteString a <> byteString b <> byteString c <> byteString d <> byteString e
  where
    (a, b, c, d, e) = fiveStrings
{-# SPECIALIZE five :: A.Builder #-}
{-# SPECIALIZE five :: B.Builder #-}

fiveStrings :: (S.ByteString, S.ByteString, S.ByteString, S.ByteString, S.ByteString)
fiveStrings = (C.pack "hello", C.pack "asdf", C.pack "fsndfn", C.pack "dfgknfg", C.pack "aaaaaa")
{-# NOINLINE fiveStrings #-}

-- | Five strings, repeated this often, appended to the right.
toTheRight :: Output b => Int -> b
toTheRight n = foldr (<>) mempty (replicate n five)
{-# SPECIALIZE toTheRight :: Int -> A.Builder #-}
{-# SPECIALIZE toTheRight :: Int -> B.Builder #-}

-- | The same, appended to the left.
toTheLeft :: Output b => Int -> b
toTheLeft n = List.foldl' (<>) mempty (replicate n five)
{-# SPECIALIZE toTheLeft :: Int -> A.Builder #-}
{-# SPECIALIZE toTheLeft :: Int -> B.Builder #-}

-- | A list of strings.
folded :: Output b => [S.ByteString] -> b
folded = foldMap byteString
{-# SPECIALIZE folded :: [S.ByteString] -> A.Builder #-}
{-# SPECIALIZE folded :: [S.ByteString] -> B.Builder #-}

-- | A list of strings, with a byte after each.
foldedWithBytes :: Output b => [S.ByteString] -> b
foldedWithBytes = foldMap (\bs -> byteString bs <> word8 1)
{-# SPECIALIZE foldedWithBytes :: [S.ByteString] -> A.Builder #-}
{-# SPECIALIZE foldedWithBytes :: [S.ByteString] -> B.Builder #-}

-- | This many records of 17 bytes.
records :: Output b => Int -> b
records n = go 0
  where
    go i
      | i >= n = mempty
      | otherwise =
        int64LE (fromIntegral i) <> word8 (fromIntegral i)
          <> doubleLE (fromIntegral i)
          <> go (i + 1)
{-# SPECIALIZE records :: Int -> A.Builder #-}
{-# SPECIALIZE records :: Int -> B.Builder #-}

-- | This many numbers of 8 bytes.
numbers :: Output b => Int -> b
numbers n = go 0
  where
    go i
      | i >= n = mempty
      | otherwise = word64LE (fromIntegral i) <> go (i + 1)
{-# SPECIALIZE numbers :: Int -> A.Builder #-}
{-# SPECIALIZE numbers :: Int -> B.Builder #-}

-- | About 60 KB of JSON: messages with an author each, as services return them.
document :: Aeson.Value
document = Aeson.Array (V.generate 60 message)
  where
    message i =
      object
        [ ("id", number (505874924095815700 + i)),
          ("created_at", string "Sun Aug 31 00:29:15 +0000 2014"),
          ( "text",
            string
              ( "Répondre à @user" ++ show i
                  ++ ": \"c'est fini\", \9786 http://example.com/a/b?c="
                  ++ show (i * i)
                  ++ "\n"
              )
          ),
          ("truncated", Aeson.Bool False),
          ("in_reply_to", Aeson.Null),
          ("author", author i),
          ("place", Aeson.Array (V.fromList [Aeson.Number 48.8566, Aeson.Number 2.3522])),
          ( "tags",
            Aeson.Array
              (V.fromList [string "haskell", string "bytes", string ("tag " ++ show (i `mod` 7))])
          ),
          ("shared", number (i * 31 `mod` 1000)),
          ("lang", string "fr")
        ]
    author i =
      object
        [ ("id", number (1186275104 + i)),
          ("name", string ("Jean-Baptiste No " ++ show i)),
          ("screen_name", string ("user" ++ show i)),
          ( "description",
            string "Writes about trains, bread & \\backslashes\\; sometimes about <b>markup</b>."
          ),
          ("followers", number (i * 7919 `mod` 100000)),
          ("verified", Aeson.Bool (even i)),
          ("url", string "https://example.com/profiles/jean-baptiste"),
          ("background", string "C0DEED")
        ]
    object = Aeson.Object . KeyMap.fromList . map (first Key.fromString)
    string = Aeson.String . T.pack
    number = Aeson.Number . fromIntegral :: Int -> Aeson.Value

-- | A builder for the JSON value, the same for all libraries.
json :: Output b => Aeson.Value -> b
json value = case value of
  Aeson.Object o ->
    char7 '{'
      <> separated [jsonString (Key.toText k) <> char7 ':' <> json v | (k, v) <- KeyMap.toList o]
      <> char7 '}'
  Aeson.Array a -> char7 '[' <> separated (map json (V.toList a)) <> char7 ']'
  Aeson.String t -> jsonString t
  Aeson.Number x
    | base10Exponent x >= 0 -> integerDec (coefficient x * 10 ^ base10Exponent x)
    | otherwise -> doubleDec (toRealFloat x)
  Aeson.Bool True -> byteString (C.pack "true")
  Aeson.Bool False -> byteString (C.pack "false")
  Aeson.Null -> byteString (C.pack "null")
{-# SPECIALIZE json :: Aeson.Value -> A.Builder #-}
{-# SPECIALIZE json :: Aeson.Value -> B.Builder #-}

separated :: Output b => [b] -> b
separated [] = mempty
separated (b : bs) = b <> foldr (\x rest -> char7 ',' <> x <> rest) mempty bs
{-# SPECIALIZE separated :: [A.Builder] -> A.Builder #-}
{-# SPECIALIZE separated :: [B.Builder] -> B.Builder #-}
