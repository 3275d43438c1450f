{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Ashlar.Codec.Laws
-- Description : What every instance of Codec must keep, as properties
--
-- Properties of QuickCheck for instances of 'Codec', derived or written by hand. With
-- tasty, all of them for one type are
--
-- > testProperties "Order" (codecLaws (Proxy :: Proxy Order))
--
-- where the type needs instances of 'Arbitrary', 'Show' and 'Eq'. Where it has none, or
-- where ('==') does not find a value equal to itself (NaN), give 'codecLawsFor' a comparison
-- of your own.
--
-- All instances of the packages ashlar and ashlar-instances keep all laws, without exception.
--
-- The values that are truncated, mutated and cut into chunks are generated at an eighth
-- of the size, so that their encodings are short.
module Ashlar.Codec.Laws
  ( -- * All laws
    codecLaws,
    codecLawsFor,
    Samples (..),
    samples,

    -- * One by one
    roundTrip,
    exactSize,
    layoutAgrees,
    sinksAgree,
    chunksAgree,
    consumesAll,
    truncationFails,
    trailingFails,
    mutationIsSafe,
    anyBytesAreSafe,
    canonical,
    acceptedAlike,
    formatAgrees,

    -- * For fuzzing
    Mutation (..),
    mutate,
    safely,
  )
where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Builder.Extra (safeStrategy, toLazyByteStringWith)
import Ashlar.Codec
import Ashlar.Codec.Combinators (formatGet, formatPut, formatSize)
import Ashlar.Codec.Fixed (fixedSize, getFixed, putFixed)
import Ashlar.Codec.Mutation
import Ashlar.Get (runGet, runGetRest)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.Map as Map
import Data.Proxy (Proxy)
import qualified Data.Vector as V
import Data.Word (Word16, Word8)
import GHC.Generics (Generic)
import Test.QuickCheck hiding (getFixed)

-- | Where values for the properties come from, and when two are the same.
--
-- @since 0.1.0.0
data Samples a = Samples
  { -- | Makes the values.
    sampleGen :: Gen a,
    -- | Smaller values, to be tried when one breaks a law.
    sampleShrink :: a -> [a],
    -- | What is shown of a value that breaks a law.
    sampleShow :: a -> String,
    -- | Is what was decoded the same as what was encoded?
    sampleEq :: a -> a -> Bool
  }

-- | The values that QuickCheck makes.
--
-- @since 0.1.0.0
samples :: (Arbitrary a, Show a, Eq a) => Samples a
samples = Samples arbitrary shrink show (==)

-- | All laws for a type, each with its name.
--
-- @since 0.1.0.0
codecLaws :: forall a. (Arbitrary a, Show a, Eq a, Codec a) => Proxy a -> [(String, Property)]
codecLaws _ = codecLawsFor (samples :: Samples a)

-- | All laws for the values given.
--
-- @since 0.1.0.0
codecLawsFor :: Codec a => Samples a -> [(String, Property)]
codecLawsFor s =
  [ ("decode . encode", roundTrip s),
    ("size", exactSize s),
    ("layout", layoutAgrees s),
    ("any buffers", sinksAgree s),
    ("any chunks", chunksAgree s),
    ("one after another", consumesAll s),
    ("truncations are refused", truncationFails s),
    ("trailing bytes are refused", trailingFails s),
    ("mutations are refused, or are what they decode to", mutationIsSafe s),
    ("any bytes are refused, or are what they decode to", anyBytesAreSafe s),
    ("short inputs are refused, or are what they decode to", canonical s),
    ("the same bytes are accepted wherever the type occurs", acceptedAlike s)
  ]

forValues, forShortValues :: Testable prop => Samples a -> (a -> prop) -> Property
forValues s = forAllShrinkShow (sampleGen s) (sampleShrink s) (sampleShow s)
forShortValues s = forValues s {sampleGen = scale (`div` 8) (sampleGen s)}

-- | @'decode' ('encode' x) == 'Right' x@.
--
-- @since 0.1.0.0
roundTrip :: Codec a => Samples a -> Property
roundTrip s = forValues s $ \x -> returns s x (decode (encode x))

returns :: Samples a -> a -> Either DecodeError a -> Property
returns s x r = case r of
  Right y -> counterexample ("decoded: " ++ sampleShow s y) (sampleEq s x y)
  Left e -> counterexample (show e) False

-- | @'encodedSize' x == length ('encode' x)@.
--
-- @since 0.1.0.0
exactSize :: Codec a => Samples a -> Property
exactSize s = forValues s $ \x -> encodedSize x === S.length (encode x)

-- | The 'layout' says what the methods do.
--
-- @since 0.1.0.0
layoutAgrees :: Codec a => Samples a -> Property
layoutAgrees s = forValues s $ \x -> case layoutOf x of
  Var least ->
    counterexample ("at least " ++ show least) (least >= 0 && least <= S.length (encode x))
  Fix f ->
    fixedSize f === encodedSize x
      .&&. toStrictByteString (putFixed f x) === encode x
      .&&. returns s x (runGet (getFixed f) (encode x))

layoutOf :: Codec a => a -> Layout a
layoutOf _ = layout

-- | The bytes do not depend on the sink or its buffers.
--
-- @since 0.1.0.0
sinksAgree :: Codec a => Samples a -> Property
sinksAgree s = forShortValues s $ \x ->
  encodeLazy x === L.fromStrict (encode x)
    .&&. conjoin
      [ toLazyByteStringWith (safeStrategy first rest) L.empty (put x) === L.fromStrict (encode x)
        | (first, rest) <- [(1, 1), (1, 3), (7, 16)]
      ]

-- | What is decoded does not depend on how the input is cut: into single bytes, and
-- into two and three chunks.
--
-- @since 0.1.0.0
chunksAgree :: Codec a => Samples a -> Property
chunksAgree s = forShortValues s $ \x ->
  let bs = encode x
      atCut i = [S.take i bs, S.drop i bs]
      atCuts i j = [S.take i bs, S.take (j - i) (S.drop i bs), S.drop j bs]
      both = zip (places (S.length bs)) (reverse (places (S.length bs)))
   in conjoin
        [ returns s x (decodeLazy (L.fromChunks (filter (not . S.null) chunks)))
          | chunks <-
              map S.singleton (S.unpack bs) :
              map atCut (places (S.length bs)) ++ [atCuts (min i j) (max i j) | (i, j) <- both]
        ]

-- Lazy input with one byte in each chunk.
inBytes :: ByteString -> L.ByteString
inBytes bs = L.fromChunks (map S.singleton (S.unpack bs))

-- Some offsets in n bytes: all, if they are few, and always the first ones.
places :: Int -> [Int]
places n
  | n <= 64 = [0 .. n]
  | otherwise = [0 .. 31] ++ [32, 32 + n `div` 32 .. n - 1] ++ [n - 1]

-- | Values written one after another are read one after another: what is read ends
-- where the value does.
--
-- @since 0.1.0.0
consumesAll :: Codec a => Samples a -> Property
consumesAll s = forShortValues s $ \x ->
  let rest = S.pack [0xFF, 0, 1]
   in case runGetRest get (encode x <> rest) of
        Right (y, left) -> returns s x (Right y) .&&. left === rest
        Left e -> counterexample (show e) False

-- | The beginning of an encoding is refused, because input is missing; and with the
-- same error in one chunk and in many. What the error says to be left ends where the
-- input does, and is less than what was needed.
--
-- @since 0.1.0.0
truncationFails :: Codec a => Samples a -> Property
truncationFails s = forShortValues s $ \x ->
  let bs = encode x
      truncated n = S.take n bs
      failure = either Right (Left . (`asTypeOf` x))
      failed = either Just (const Nothing)
      missing n = counterexample ("the first " ++ show n ++ " bytes") $
        case failure (decode (truncated n)) of
          Right e@DecodeError {errorOffset = offset, errorReason = MissingInput needed left} ->
            fromIntegral offset + left === n
              .&&. counterexample "enough is left" (needed > left)
              .&&. failed (decodeLazy (inBytes (truncated n)) `asTypeOf` Right x)
              === Just e
          Right e -> counterexample (show e) False
          Left y -> counterexample ("decoded: " ++ sampleShow s y) False
   in conjoin (map missing (filter (< S.length bs) (places (S.length bs))))

-- | Bytes after an encoding are refused, where they begin.
--
-- @since 0.1.0.0
trailingFails :: Codec a => Samples a -> Property
trailingFails s = forShortValues s $ \x ->
  case decode (encode x <> S.singleton 0) `asTypeOf` Right x of
    Left e -> (errorOffset e, errorReason e) === (fromIntegral (encodedSize x), TrailingInput)
    Right y -> counterexample ("decoded: " ++ sampleShow s y) False

-- | An encoding of which something was changed is refused, or is the encoding of what
-- it decodes to. Nothing crashes or hangs.
--
-- This demands that each value has one encoding. An instance that reads several encodings of
-- one value breaks it, and must do without this law and 'anyBytesAreSafe'.
--
-- @since 0.1.0.0
mutationIsSafe :: Codec a => Samples a -> Property
mutationIsSafe s = forShortValues s $ \x ->
  forAll (vectorOf 10 arbitrary) $ \mutations ->
    conjoin
      [ counterexample (show (S.unpack bs)) (safely s bs)
        | bs <- map (`mutate` encode x) mutations ++ scanl (flip mutate) (encode x) mutations
      ]

-- | The same for bytes of any kind, which often begin like a length. It, too, demands that
-- each value has one encoding.
--
-- @since 0.1.0.0
anyBytesAreSafe :: Codec a => Samples a -> Property
anyBytesAreSafe s = forAllShrinkShow bytes shrinkBytes show (safely s . S.pack)
  where
    bytes =
      oneof
        [ listOf arbitrary,
          listOf small,
          (\n ws -> n : replicate 7 0 ++ ws) <$> small <*> listOf (oneof [small, arbitrary])
        ]
    small = choose (0, 4)
    shrinkBytes = shrink :: [Word8] -> [[Word8]]

-- | Decoding these bytes gives an error inside of them, or a value whose encoding they
-- are; within ten seconds.
--
-- @since 0.1.0.0
safely :: Codec a => Samples a -> ByteString -> Property
safely s bs = within 10000000 $ case decode bs of
  Left e ->
    counterexample (show e) (errorOffset e >= 0 && errorOffset e <= fromIntegral (S.length bs))
  Right x -> counterexample ("decoded: " ++ sampleShow s x) (encode x === bs)

-- | @'decode' bs == 'Right' x@ implies @'encode' x == bs@, for all inputs of at most two bytes,
-- and for all of at most one byte after a length from 0 to 2.
--
-- It takes some 70,000 runs of the decoder. It, too, demands that each value has one encoding.
--
-- @since 0.1.0.0
canonical :: Codec a => Samples a -> Property
canonical s = once $ case [(bs, x) | bs <- inputs, Right x <- [decode bs], encode x /= bs] of
  [] -> property True
  (bs, x) : _ ->
    let encoded = ", which is encoded as " ++ show (S.unpack (encode x))
     in counterexample (show (S.unpack bs) ++ " decodes to " ++ sampleShow s x ++ encoded) False
  where
    bytes = [minBound .. maxBound]
    upToOne = S.empty : map S.singleton bytes
    inputs =
      upToOne
        ++ [S.pack [a, b] | a <- bytes, b <- bytes]
        ++ [encode n <> bs | n <- [0, 1, 2 :: Int], bs <- upToOne]

-- | A type accepts the same bytes alone, by its 'layout', and as a part of other types: in pairs,
-- records and sums, and as an element of lists, vectors and maps. Where the bytes are accepted,
-- the values are the same too.
--
-- The bytes are encodings, mutated and truncated encodings, and random ones.
--
-- @since 0.1.0.0
acceptedAlike :: forall a. Codec a => Samples a -> Property
acceptedAlike s = forShortValues s $ \x -> forAll (bytesLike x) $ \bs ->
  let valid = encode x
      alone = whole get bs :: Maybe a
      way :: String -> Maybe a -> Property
      way name found = counterexample name (sameValue s alone found)
      -- The elements before the one in question, and what announces them all.
      after n = mconcat (encode (n + 1 :: Int) : replicate n valid)
      many = if S.length valid <= 64 then 70 else 2
      lastOf n xs = if length xs == n + 1 then Just (last xs) else Nothing
      suffix = S.pack [1, 2, 3, 4, 5, 6, 7, 8]
   in conjoin
        [ case layout of
            Fix f -> way "by layout" (whole (getFixed f) bs)
            Var _ -> property True,
          way "in lazy input" (either (const Nothing) Just (decodeLazy (inBytes bs))),
          way "second of a pair" ((\(w, y) -> const y (w :: Word8)) <$> whole get (S.cons 0 bs)),
          way "in Maybe" (whole get (S.cons 1 bs) >>= id),
          way "in Either" (whole get (S.cons 1 bs) >>= either (\() -> Nothing) Just),
          way "last of a list" (whole get (after 1 <> bs) >>= lastOf 1),
          way "last of a long list" (whole get (after many <> bs) >>= lastOf many),
          way "last of a vector" (whole get (after 1 <> bs) >>= lastOf 1 . V.toList),
          way "value in a map" $
            whole get (encode (1 :: Int) <> S.cons 7 bs) >>= Map.lookup (7 :: Word8),
          -- What comes after is the next field, so the value need not take all of the bytes.
          counterexample "in the middle of a record" $
            case (runGetRest get (bs <> suffix), runGetRest get (S.cons 0 bs <> suffix)) of
              (Right (y, rest), found)
                | S.length rest >= 2 -> case found of
                  Right (Between _ y' _, rest') ->
                    sameValue s (Just y) (Just y') .&&. rest' === S.drop 2 rest
                  Left e -> counterexample (show e) False
              (_, Left _) -> property True
              (_, Right (Between _ y' _, _)) -> sameValue s Nothing (Just y')
        ]

data Between a = Between Word8 a Word16
  deriving stock (Generic)
  deriving anyclass (Codec)

-- The value that all of the bytes are.
whole :: Get a -> ByteString -> Maybe a
whole g bs = case runGetRest g bs of
  Right (x, rest) | S.null rest -> Just x
  _ -> Nothing

sameValue :: Samples a -> Maybe a -> Maybe a -> Property
sameValue s alone found = case (alone, found) of
  (Just x, Just y) -> counterexample (sampleShow s x ++ " /= " ++ sampleShow s y) (sampleEq s x y)
  (Nothing, Nothing) -> property True
  (Just x, Nothing) -> counterexample ("accepted alone: " ++ sampleShow s x) False
  (Nothing, Just y) -> counterexample ("refused alone, accepted: " ++ sampleShow s y) False

-- Bytes that a decoder for this value's type may take for a value.
bytesLike :: Codec a => a -> Gen ByteString
bytesLike x =
  oneof
    [ pure (encode x),
      (\m -> mutate m (encode x)) <$> arbitrary,
      (`S.take` encode x) <$> choose (0, encodedSize x),
      S.pack <$> vectorOf (leastSize (layoutOf x)) arbitrary,
      S.pack <$> vectorOf (leastSize (layoutOf x)) (choose (0, 4)),
      S.pack <$> arbitrary
    ]

-- | An instance of 'HasFormat' is what the instance of 'Codec' uses. That is not so where 'Codec'
-- was derived by @deriving newtype@, or where the instance of 'HasFormat' was not in scope.
--
-- It is not one of 'codecLaws', which are for types without a format of their own, too.
--
-- @since 0.1.0.0
formatAgrees :: forall a. (HasFormat a, Codec a) => Samples a -> Property
formatAgrees s = forShortValues s $ \x -> forAll (bytesLike x) $ \bs ->
  toStrictByteString (formatPut format x) === encode x
    .&&. formatSize format x === encodedSize x
    .&&. sameValue s (whole get bs) (whole (formatGet format) bs)
