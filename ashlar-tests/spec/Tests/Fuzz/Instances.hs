{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
-- One copy of the code for all types.
{-# OPTIONS_GHC -fno-specialise #-}

-- |
-- Module      : Tests.Fuzz.Instances
-- Description : The instances of each class as targets of the fuzzer
module Tests.Fuzz.Instances (instances) where

import Ashlar.Codec
import Ashlar.Codec.Laws (Samples (..))
import qualified Ashlar.Compat.Binary as B
import qualified Ashlar.Compat.Cereal as C
import qualified Ashlar.Compat.Store as Store
import Ashlar.View (View)
import qualified Ashlar.View as View
import Data.Array (Array)
import Data.Array.Unboxed (UArray)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Fixed (Centi)
import Data.Int (Int16)
import Data.IntMap (IntMap)
import Data.IntSet (IntSet)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Map (Map)
import Data.Proxy (Proxy (..))
import Data.Sequence (Seq)
import Data.Set (Set)
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Tree (Tree)
import qualified Data.Vector as V
import Data.Word (Word16, Word64, Word8)
import Numeric.Natural (Natural)
import Test.QuickCheck
import Tests.Arbitrary ()
import qualified Tests.Compat.Types as Compat
import Tests.Fuzz.Target
import Tests.Instances.All
import Tests.Instances.Type

-- | All of them.
instances :: [Target]
instances = codecs ++ binary ++ cereal ++ store

-- Each instance twice: its values are decoded, and passed over.
codecs :: [Target]
codecs =
  [ target
    | s <- sections,
      Golden name samples' values <- sectionInstances s,
      let seeds = map encode values
          random = Just (encode <$> resize 8 (sampleGen samples')),
      target <-
        [ Target (sectionName s ++ ": " ++ name) (get `asGetOf` samples') encode One seeds random,
          Target ("View: " ++ name) (get `asViewOf` samples') View.viewBytes One seeds random
        ]
  ]
  where
    asGetOf :: Get a -> Samples a -> Get a
    asGetOf = const
    asViewOf :: Get (View a) -> Samples a -> Get (View a)
    asViewOf = const

-- A target of a class, given its encoder and its decoder.
ofClass :: Gen a -> String -> (a -> S.ByteString) -> Get a -> Target
ofClass gen name enc dec = Target name dec enc Several [] (Just (enc <$> resize 8 gen))

-- QuickCheck's own have few digits.
naturals :: Integer -> Natural
naturals n = fromInteger (abs n ^ (1 + abs n `mod` 7))

-- What both stand-ins have.
ofBoth ::
  (forall a. (B.Binary a, C.Serialize a, Arbitrary a) => Proxy a -> String -> Target) ->
  [Target]
ofBoth target =
  [ of' @Integer "Integer",
    of' @Double "Double",
    of' @Char "Char",
    of' @String "String",
    of' @[Word64] "list of Word64",
    of' @[[Int]] "list of lists",
    of' @Rational "Rational",
    of' @S.ByteString "ByteString",
    of' @L.ByteString "lazy ByteString",
    of' @(Map Word8 Int16) "Map",
    of' @(Set Word8) "Set",
    of' @(IntMap Char) "IntMap",
    of' @IntSet "IntSet",
    of' @(Seq Word16) "Seq",
    of' @(Tree Word8) "Tree",
    of' @(Maybe (Either Int String)) "Maybe",
    of' @(Word8, Int, Char, Bool, Word16, String) "tuple",
    of' @Compat.Plain "numbers alone",
    of' @Compat.Mixed "record",
    of' @Compat.Five "five constructors",
    of' @Compat.Seventeen "seventeen constructors",
    of' @Compat.Tree2 "tree",
    of' @(Compat.Perfect Word8) "not regular"
  ]
  where
    of' :: forall a. (B.Binary a, C.Serialize a, Arbitrary a) => String -> Target
    of' = target (Proxy @a)

binary :: [Target]
binary =
  ofBoth (\(Proxy :: Proxy a) -> of' @a)
    ++ [ of' @[Bool] "list of Bool",
         of' @[Word16] "list of Word16",
         of' @SBS.ShortByteString "ShortByteString",
         of' @T.Text "Text",
         of' @TL.Text "lazy Text",
         of' @Centi "Centi",
         ofClass (naturals <$> arbitrary) "Binary: Natural" (L.toStrict . B.encode) B.get,
         ofClass ((:|) <$> arbitrary <*> arbitrary) "Binary: NonEmpty" (L.toStrict . B.encode) $
           B.get @(NonEmpty Word8)
       ]
  where
    of' :: forall a. (B.Binary a, Arbitrary a) => String -> Target
    of' name = ofClass (arbitrary @a) ("Binary: " ++ name) (L.toStrict . B.encode) B.get

cereal :: [Target]
cereal =
  ofClass (naturals <$> arbitrary) "Serialize: Natural" C.encode C.get :
  ofBoth (\(Proxy :: Proxy a) -> of' @a)
  where
    of' :: forall a. (C.Serialize a, Arbitrary a) => String -> Target
    of' name = ofClass (arbitrary @a) ("Serialize: " ++ name) C.encode C.get

store :: [Target]
store =
  [ of' @Int "Int",
    of' @Double "Double",
    of' @Char "Char",
    of' @String "String",
    of' @[Word64] "list of Word64",
    of' @T.Text "Text",
    of' @S.ByteString "ByteString",
    of' @SBS.ShortByteString "ShortByteString",
    of' @(Map Int String) "Map",
    of' @(Set Int16) "Set",
    of' @(IntMap String) "IntMap",
    of' @IntSet "IntSet",
    of' @(Seq String) "Seq",
    of' @(Maybe (Either Int String)) "Maybe",
    of' @(Word8, Int, Char, Bool, String, Word16, Maybe Int) "tuple",
    ofClass (V.fromList <$> arbitrary) "Store: Vector" Store.encode (Store.peek @(V.Vector Word16)),
    arrays @(Array Int Word8) "Array",
    arrays @(UArray (Word8, Word8) Word8) "UArray of two dimensions"
  ]
  where
    of' :: forall a. (Store.Store a, Arbitrary a) => String -> Target
    of' name = ofClass (arbitrary @a) ("Store: " ++ name) Store.encode Store.peek
    arrays :: forall a. Store.Store a => String -> Target
    arrays name =
      Target ("Store: " ++ name) (Store.peek @a) Store.encode Several [S.replicate 24 0] Nothing
