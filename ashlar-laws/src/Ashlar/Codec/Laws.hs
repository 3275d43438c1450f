{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE Trustworthy #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Ashlar.Codec.Laws
-- Description : The laws of Codec, as properties
--
-- QuickCheck properties for instances of 'Codec', derived or written by hand. With tasty, all of
-- them for one type are
--
-- > testProperties "Order" (codecLaws (Proxy :: Proxy Order))
--
-- For a type with 'Ashlar.Codec.HasFormat' add 'formatAgrees': it finds a 'Codec' that ignores the
-- format.
--
-- The type needs instances of 'Arbitrary', 'Show' and 'Eq'. If it has none, or if a value may
-- differ from itself by ('==') as NaN does, use 'codecLawsFor' with a comparison of your own.
--
-- All instances of the packages ashlar and ashlar-instances keep all laws.
--
-- Values that are truncated, mutated or cut into chunks are generated at an eighth of the size, so
-- that their encodings are short.
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
    viewAgrees,
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
import Ashlar.Codec.Combinators
  ( Layout (Fix, Var),
    fixedSize,
    formatGet,
    formatPut,
    formatSize,
    getFixed,
    putFixed,
  )
import Ashlar.Codec.Laws.Mutation (Mutation (..), mutate)
import Ashlar.Get (runGet, runGetLazyWhole, runGetRest, runGetWhole)
import Ashlar.View (View, checked, decodeView, view, viewBytes, viewRest)
import Control.Monad (join)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.Map as Map
import Data.Maybe (isJust)
import Data.Proxy (Proxy)
import qualified Data.Vector as V
import Data.Word (Word16, Word8)
import GHC.Generics (Generic)
import Test.QuickCheck hiding (getFixed)

-- | How to generate, show and compare values for the properties.
data Samples a = Samples
  { -- | Generates values.
    sampleGen :: Gen a,
    -- | Smaller values, which are tried when a value breaks a law.
    sampleShrink :: a -> [a],
    -- | Shows a value that breaks a law.
    sampleShow :: a -> String,
    -- | Is the decoded value the same as the encoded one?
    sampleEq :: a -> a -> Bool
  }

-- | The values of the type's own instances.
samples :: (Arbitrary a, Show a, Eq a) => Samples a
samples = Samples arbitrary shrink show (==)

-- | All laws for a type, each with its name.
codecLaws :: forall a. (Arbitrary a, Show a, Eq a, Codec a) => Proxy a -> [(String, Property)]
codecLaws _ = codecLawsFor (samples :: Samples a)

-- | All laws for the values given.
codecLawsFor :: Codec a => Samples a -> [(String, Property)]
codecLawsFor s =
  [ ("decode . encode", roundTrip s),
    ("encodedSize is the number of bytes", exactSize s),
    ("the layout tells the number of bytes", layoutAgrees s),
    ("the same bytes in buffers of any size", sinksAgree s),
    ("the same value from chunks of any size", chunksAgree s),
    ("two values, one after another", consumesAll s),
    ("truncations are refused", truncationFails s),
    ("trailing bytes are refused", trailingFails s),
    ("mutations are refused, or are what they decode to", mutationIsSafe s),
    ("any bytes are refused, or are what they decode to", anyBytesAreSafe s),
    ("short inputs are refused, or are what they decode to", canonical s),
    ("the same bytes are accepted wherever the type occurs", acceptedAlike s),
    ("a view is of the bytes that are decoded", viewAgrees s)
  ]

forValues, forShortValues :: Testable prop => Samples a -> (a -> prop) -> Property
forValues s = forAllShrinkShow (sampleGen s) (sampleShrink s) (sampleShow s)
forShortValues s = forValues s {sampleGen = scale (`div` 8) (sampleGen s)}

-- | @'decode' ('encode' x) == 'Right' x@.
roundTrip :: Codec a => Samples a -> Property
roundTrip s = forValues s $ \x -> returns s x (decode (encode x))

returns :: Samples a -> a -> Either DecodeError a -> Property
returns s x r = case r of
  Right y -> counterexample ("decoded: " ++ sampleShow s y) (sampleEq s x y)
  Left e -> counterexample (show e) False

-- | @'encodedSize' x == length ('encode' x)@.
exactSize :: Codec a => Samples a -> Property
exactSize s = forValues s $ \x -> encodedSize x === S.length (encode x)

-- | The 'layout' agrees with the methods.
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
sinksAgree :: Codec a => Samples a -> Property
sinksAgree s = forShortValues s $ \x ->
  encodeLazy x === L.fromStrict (encode x)
    .&&. conjoin
      [ toLazyByteStringWith (safeStrategy first rest) L.empty (put x) === L.fromStrict (encode x)
        | (first, rest) <- [(1, 1), (1, 3), (7, 16)]
      ]

-- | The decoded value does not depend on how the input is cut: into single bytes, or into two or
-- three chunks.
chunksAgree :: Codec a => Samples a -> Property
chunksAgree s = forShortValues s $ \x ->
  let bs = encode x
      atCut i = [S.take i bs, S.drop i bs]
      atCuts i j = [S.take i bs, S.take (j - i) (S.drop i bs), S.drop j bs]
      both = zip (someOffsets (S.length bs)) (reverse (someOffsets (S.length bs)))
   in conjoin
        [ returns s x (decodeLazy (L.fromChunks (filter (not . S.null) chunks)))
          | chunks <-
              map S.singleton (S.unpack bs) :
              map atCut (someOffsets (S.length bs)) ++ [atCuts (min i j) (max i j) | (i, j) <- both]
        ]

-- Some offsets in n bytes: all of them if there are few, and always the first ones.
someOffsets :: Int -> [Int]
someOffsets n
  | n <= 64 = [0 .. n]
  | otherwise = [0 .. 31] ++ [32, 32 + n `div` 32 .. n - 1] ++ [n - 1]

-- | Decoding ends where the encoding of the value ends, so values can follow one another.
consumesAll :: Codec a => Samples a -> Property
consumesAll s = forShortValues s $ \x ->
  let rest = S.pack [0xFF, 0, 1]
   in case runGetRest get (encode x <> rest) of
        Right (y, left) -> returns s x (Right y) .&&. left === rest
        Left e -> counterexample (show e) False

-- | A truncated encoding is refused because input is missing, with the same error in one chunk and
-- in many. The bytes that the error reports as left end with the input, and are fewer than those
-- needed.
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
   in conjoin (map missing (filter (< S.length bs) (someOffsets (S.length bs))))

-- | Bytes after an encoding are refused. The error is where they begin.
trailingFails :: Codec a => Samples a -> Property
trailingFails s = forShortValues s $ \x ->
  case decode (encode x <> S.singleton 0) `asTypeOf` Right x of
    Left e -> (errorOffset e, errorReason e) === (fromIntegral (encodedSize x), TrailingInput)
    Right y -> counterexample ("decoded: " ++ sampleShow s y) False

-- | A mutated encoding is refused, or it is the encoding of the value that it decodes to. Nothing
-- crashes or hangs.
--
-- This requires that each value has one encoding. An instance that reads several encodings of one
-- value breaks this law, 'anyBytesAreSafe' and 'canonical'.
mutationIsSafe :: Codec a => Samples a -> Property
mutationIsSafe s = forShortValues s $ \x ->
  forAll (vectorOf 10 arbitrary) $ \mutations ->
    conjoin
      [ counterexample (show (S.unpack bs)) (safely s bs)
        | bs <- map (`mutate` encode x) mutations ++ scanl (flip mutate) (encode x) mutations
      ]

-- | As 'mutationIsSafe', for arbitrary bytes, which often begin like a length. This, too, requires
-- that each value has one encoding.
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

-- | Within ten seconds, decoding these bytes gives a value of which they are the encoding, or an
-- error whose offset lies inside of them.
safely :: Codec a => Samples a -> ByteString -> Property
safely s bs = within 10000000 $ case decode bs of
  Left e ->
    counterexample (show e) (errorOffset e >= 0 && errorOffset e <= fromIntegral (S.length bs))
  Right x -> counterexample ("decoded: " ++ sampleShow s x) (encode x === bs)

-- | @'decode' bs == 'Right' x@ implies @'encode' x == bs@, for all inputs of at most two bytes,
-- and for all of at most one byte after a length from 0 to 2.
--
-- This runs the decoder about 70,000 times. It, too, requires that each value has one encoding.
canonical :: Codec a => Samples a -> Property
canonical s = once $ case [(bs, x) | bs <- inputs, Right x <- [decode bs], encode x /= bs] of
  [] -> property True
  (bs, x) : _ ->
    counterexample (shown bs ++ " decodes to " ++ sampleShow s x) $
      counterexample ("which is encoded as " ++ shown (encode x)) False
  where
    shown = show . S.unpack
    bytes = [minBound .. maxBound]
    upToOne = S.empty : map S.singleton bytes
    inputs =
      upToOne
        ++ [S.pack [a, b] | a <- bytes, b <- bytes]
        ++ [encode n <> bs | n <- [0, 1, 2 :: Int], bs <- upToOne]

-- | A type accepts the same bytes alone, by its 'layout', and as a part of other types: in pairs,
-- records and sums, and as an element of lists, vectors and maps. If the bytes are accepted, the
-- values are the same.
--
-- The bytes are encodings, mutated encodings, truncated encodings, and random bytes.
acceptedAlike :: forall a. Codec a => Samples a -> Property
acceptedAlike s = forShortValues s $ \x -> forAll (bytesLike x) $ \bs ->
  let valid = encode x
      alone = whole get bs :: Maybe a
      way :: String -> Maybe a -> Property
      way name found = counterexample name (sameValue s alone found)
      -- The number of all elements, and the elements before the last one.
      after n = mconcat (encode (n + 1 :: Int) : replicate n valid)
      many = if S.length valid <= 64 then 70 else 2
      lastOf n xs = if length xs == n + 1 then Just (last xs) else Nothing
      suffix = S.pack [1, 2, 3, 4, 5, 6, 7, 8]
   in conjoin
        [ case layout of
            Fix f -> way "by layout" (whole (getFixed f) bs)
            Var _ -> property True,
          way "in single bytes" $
            either (const Nothing) Just (decodeLazy (inBytes bs)),
          way "second of a pair" (secondOf <$> whole get (S.cons 0 bs)),
          way "in Maybe" (join (whole get (S.cons 1 bs))),
          way "in Either" (whole get (S.cons 1 bs) >>= either (\() -> Nothing) Just),
          way "last of a list" (whole get (after 1 <> bs) >>= lastOf 1),
          way "last of a long list" (whole get (after many <> bs) >>= lastOf many),
          way "last of a vector" (whole get (after 1 <> bs) >>= lastOf 1 . V.toList),
          way
            "value in a map"
            (whole get (encode (1 :: Int) <> S.cons 7 bs) >>= Map.lookup (7 :: Word8)),
          -- The value may leave bytes to the next field.
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

-- | What 'decode' accepts, 'view' and 'skipValue' accept, too, and they end where it ends. The two
-- agree on all bytes, in one chunk and in many.
--
-- The bytes are those of 'acceptedAlike'.
viewAgrees :: forall a. Codec a => Samples a -> Property
viewAgrees s = forShortValues s $ \x -> forAll (bytesLike x) $ \bs ->
  let viewed = view bs :: Either DecodeError (View a)
      succeeds = either (const False) (const True)
      suffix = S.pack [1, 2, 3]
      decoded = whole get bs :: Maybe a
   in conjoin
        [ counterexample "skipValue" (succeeds (runGetWhole (skipValue @a) bs) === succeeds viewed),
          counterexample "skipValue in single bytes" $
            succeeds (runGetLazyWhole (skipValue @a) (inBytes bs)) === succeeds viewed,
          counterexample "checked" $
            succeeds (checked bs :: Either DecodeError (View a))
              === isJust decoded,
          case viewed of
            Left e ->
              counterexample (show e) $
                sameValue s decoded Nothing .&&. succeeds (decodeAs x bs) === False
            Right v ->
              viewBytes v === bs
                .&&. counterexample "decodeView" (sameValue s decoded (whole get (viewBytes v)))
                .&&. counterexample
                  "decodeView"
                  (succeeds (decodeView v) === succeeds (decodeAs x bs))
                .&&. case viewRest (bs <> suffix) :: Either DecodeError (View a, ByteString) of
                  Right (v', rest) -> viewBytes v' === bs .&&. rest === suffix
                  Left e -> counterexample (show e) False
        ]
  where
    decodeAs :: a -> ByteString -> Either DecodeError a
    decodeAs _ = decode

data Between a = Between Word8 a Word16
  deriving stock (Generic)
  deriving anyclass (Codec)

secondOf :: (Word8, a) -> a
secondOf = snd

-- Lazy input with one byte in each chunk.
inBytes :: ByteString -> L.ByteString
inBytes bs = L.fromChunks (map S.singleton (S.unpack bs))

-- The value that takes all of the bytes.
whole :: Get a -> ByteString -> Maybe a
whole g bs = case runGetRest g bs of
  Right (x, rest) | S.null rest -> Just x
  _ -> Nothing

-- NaN is not equal to itself, but has the same bytes.
sameValue :: Codec a => Samples a -> Maybe a -> Maybe a -> Property
sameValue s alone found = case (alone, found) of
  (Just x, Just y) ->
    counterexample (sampleShow s x ++ " /= " ++ sampleShow s y) $
      sampleEq s x y || encode x == encode y
  (Nothing, Nothing) -> property True
  (Just x, Nothing) -> counterexample ("accepted alone: " ++ sampleShow s x) False
  (Nothing, Just y) -> counterexample ("refused alone, accepted: " ++ sampleShow s y) False

-- Bytes that a decoder of this type may accept.
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

-- | The instance of 'Codec' uses the instance of 'HasFormat'. It does not if 'Codec' was derived by
-- @deriving newtype@, or if the instance of 'HasFormat' was not in scope.
--
-- This is not one of 'codecLaws', which are also for types without a format of their own.
formatAgrees :: forall a. (HasFormat a, Codec a) => Samples a -> Property
formatAgrees s = forShortValues s $ \x -> forAll (bytesLike x) $ \bs ->
  toStrictByteString (formatPut format x) === encode x
    .&&. formatSize format x === encodedSize x
    .&&. sameValue s (whole get bs) (whole (formatGet format) bs)
