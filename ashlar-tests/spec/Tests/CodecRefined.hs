{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.CodecRefined
-- Description : A format refuses the same values wherever its type occurs
module Tests.CodecRefined (tests) where

import Ashlar.Codec
import Ashlar.Codec.Combinators (Layout (..), formatSize, getFixed)
import Ashlar.Codec.Laws
import Ashlar.Codec.Wrappers (Compact)
import Ashlar.Get
import Data.Array (Array)
import qualified Data.ByteString as S
import Data.Functor.Identity (Identity)
import Data.List.NonEmpty (NonEmpty)
import Data.Map (Map)
import Data.Sequence (Seq)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word16, Word8)
import GHC.Generics (Generic)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (getFixed)
import Tests.Arbitrary ()
import Tests.Failures

tests :: TestTree
tests =
  testGroup
    "refined formats"
    [ testCase "a value is refused wherever it occurs" everywhere,
      testCase "a value that is not the first, or is in a long container" later,
      testCase "constant size stays constant" constantSizes,
      testCase "types without finite values" endless,
      testCase "readers by hand are limited in depth" limited,
      testCase "a promised byte that is not there counts as an empty element" promised,
      testProperty
        "the size of what is put"
        (\n t -> formatSize (format @Message) (Message n t) === 9 + S.length (encode t) - 8),
      lawful "constant size" (samples @Port),
      lawful "variable size" (samples @Named),
      lawful "a type with a parameter" (samples @(Ascending Word8)),
      lawful "a recursive type" (samples @Chain),
      lawful "fromPutGet" (samples @Message),
      testProperty
        "formatAgrees detects a format that is not used"
        (expectFailure (withMaxSuccess 10000 (formatAgrees (samples @Ignored))))
    ]

lawful :: (Codec a, HasFormat a) => String -> Samples a -> TestTree
lawful name s = testProperties name (("format", formatAgrees s) : codecLawsFor s)

newtype Port = Port Word16
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec)

instance HasFormat Port where
  format = satisfying "privileged" (\(Port p) -> p >= 1024) derivedFormat
  {-# INLINE format #-}

instance Arbitrary Port where
  arbitrary = Port <$> choose (1024, maxBound)

data Named = Named Text Word8
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance HasFormat Named where
  format = satisfying "no name" (\(Named t _) -> not (T.null t)) derivedFormat

instance Arbitrary Named where
  arbitrary = Named . T.cons 'a' <$> arbitrary <*> arbitrary

data Ascending a = Ascending a a
  deriving stock (Eq, Show, Generic)

instance (Ord a, Codec a) => Codec (Ascending a)

instance (Ord a, Codec a) => HasFormat (Ascending a) where
  format =
    refined id (\x@(Ascending a b) -> if a <= b then Right x else Left "descending") derivedFormat
  {-# INLINE format #-}

instance (Arbitrary a, Ord a) => Arbitrary (Ascending a) where
  arbitrary = (\a b -> Ascending (min a b) (max a b)) <$> arbitrary <*> arbitrary

data Chain = End | Link Word8 Chain
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

-- No link, at any depth, has the number 0.
instance HasFormat Chain where
  format = satisfying "a link of number 0" nonZero derivedFormat
    where
      nonZero c = case c of
        Link 0 _ -> False
        _ -> True

instance Arbitrary Chain where
  arbitrary = foldr Link End <$> listOf (choose (1, maxBound))

data Message = Message Word8 Text
  deriving stock (Eq, Show)

instance Codec Message

instance HasFormat Message where
  format = fromPutGet 9 (\(Message n t) -> put n <> put t) (Message <$> get <*> get)

instance Arbitrary Message where
  arbitrary = Message <$> arbitrary <*> arbitrary

-- The derived Codec uses the format of Word8, not this one.
newtype Ignored = Ignored Word8
  deriving newtype (Eq, Show, Arbitrary, Codec)

instance HasFormat Ignored where
  format = byHand 1 (const 1) (\(Ignored w) -> put w) (Ignored . min 9 <$> getWord8)

data Server = Server {host :: Text, port :: Port, weight :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

data Pair' = Pair' Port Port
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

newtype Wrapped = Wrapped Port
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

-- Each value has the port 80. It is encoded at Word16, which has no limit.
everywhere :: Assertion
everywhere = do
  refuses @Port 0 bad
  refuses @Wrapped 0 bad
  refuses @(Identity Port) 0 bad
  refuses @(Word8, Port) 1 (encode (0 :: Word8, bad'))
  refuses @(Port, Text) 0 (encode (bad', "" :: Text))
  refuses @Pair' 2 (encode (1024 :: Word16, bad'))
  refuses @Server 8 (encode ("" :: Text, bad', 1 :: Word8))
  refuses @(Maybe Port) 1 (encode (Just bad'))
  refuses @(Either Text Port) 1 (encode (Right bad' :: Either Text Word16))
  refuses @[Port] 8 (encode [bad'])
  refuses @(NonEmpty Port) 8 (encode [bad'])
  refuses @(V.Vector Port) 8 (encode [bad'])
  refuses @(Seq Port) 8 (encode [bad'])
  refuses @(Compact [Port]) 1 ("\1" <> bad)
  refuses @(Map Word8 Port) 9 (encode [(0 :: Word8, bad')])
  refuses @(Map Port Word8) 8 (encode [(bad', 0 :: Word8)])
  refuses @(Array Word8 Port) 10 (encode ((0, 0) :: (Word8, Word8), [bad']))
  refuses @[Maybe (Word8, Port)] 10 (encode [Just (0 :: Word8, bad')])
  case layout :: Layout Port of
    Fix f -> fmap reasonOf' (left (runGet (getFixed f) bad)) @?= Just (Invalid "privileged")
    Var _ -> assertFailure "of variable size"
  where
    bad' = 80 :: Word16
    bad = encode bad'
    reasonOf' (_, _, r) = r
    left = either (Just . (\e -> (errorOffset e, errorLabels e, errorReason e))) (const Nothing)

later :: Assertion
later = do
  sequence_
    [ do
        let ports = replicate i 1024 ++ [80] ++ replicate (n - i - 1) (1024 :: Word16)
            at = 8 + 2 * fromIntegral i
        brief (decode (encode ports) :: Either DecodeError [Port])
          @?= Left (at, ["[" ++ show i ++ "]"], Invalid "privileged")
        brief (decode (encode ports) :: Either DecodeError (V.Vector Port))
          @?= Left (at, ["[" ++ show i ++ "]"], Invalid "privileged")
      | n <- [1, 2, 63, 64, 65, 200],
        i <- [0, n `div` 2, n - 1]
    ]
  -- At any depth of a recursive type.
  refuses @Chain 4 "\1\5\1\7\1\0\0"

constantSizes :: Assertion
constantSizes = do
  constantly @Port 2
  constantly @Wrapped 2
  constantly @Pair' 4
  constantly @(Word8, Port) 3
  constantly @(Ascending Port) 4
  where
    constantly :: forall a. Codec a => Int -> Assertion
    constantly n = case layout :: Layout a of
      l@(Fix _) -> leastSize l @?= n
      Var _ -> assertFailure "of variable size"

newtype Inside = Inside Inside
  deriving stock (Generic)
  deriving anyclass (Codec)

instance HasFormat Inside where
  format = satisfying "" (const True) derivedFormat

data Around = Around Word8 Around
  deriving stock (Generic)
  deriving anyclass (Codec)

instance HasFormat Around where
  format = satisfying "" (const True) derivedFormat

endless :: Assertion
endless = do
  overBudget @Inside ""
  -- (Each level works out anew how long such a value is.)
  let few = defaultBudget {budgetDepth = 1000}
  reasonOf (runGet (withBudget few (get :: Get Around)) (S.replicate 2000 0))
    @?= Just (tooDeep 1000)

data Brackets = Close | Open Brackets

instance Codec Brackets

instance HasFormat Brackets where
  format = fromPutGet 1 write (getWord8 >>= \w -> if w == 0 then pure Close else Open <$> get)
    where
      write b = case b of
        Close -> put (0 :: Word8)
        Open inner -> put (1 :: Word8) <> put inner

-- A least size that is too large must not allow any number of values.
promised :: Assertion
promised = do
  overBudget @[Promising] (encode (2 ^ (30 :: Int) :: Int))
  overBudget @(V.Vector Promising) (encode (2 ^ (30 :: Int) :: Int))
  decode (encode [Promising, Promising]) @?= Right [Promising, Promising]

data Promising = Promising
  deriving stock (Eq, Show)

instance Codec Promising

instance HasFormat Promising where
  format = fromPutGet 1 (const mempty) (pure Promising)

limited :: Assertion
limited = overBudget @Brackets (S.replicate 1000000 1)

overBudget :: forall a. Codec a => S.ByteString -> Assertion
overBudget bs = case decode bs :: Either DecodeError a of
  Left e -> case errorReason e of
    OverBudget _ -> pure ()
    r -> assertFailure (show r)
  Right _ -> assertFailure "decoded"

refuses :: forall a. (Codec a, Show a) => Int -> S.ByteString -> Assertion
refuses at bs = case decode bs :: Either DecodeError a of
  Left e -> (errorOffset e, take 1 (show' (errorReason e))) @?= (fromIntegral at, "I")
  Right x -> assertFailure (show x)
  where
    show' r = case r of
      Invalid _ -> "I"
      other -> show other
