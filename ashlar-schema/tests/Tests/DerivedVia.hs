{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingVia #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.DerivedVia
-- Description : Derived descriptions beside instances of Codec that are not derived
module Tests.DerivedVia (tests) where

import Ashlar.Codec (Codec, HasFormat (format), derivedFormat, satisfying)
import Ashlar.Codec.Packed (Pack, Packed (..))
import Ashlar.Codec.Wrappers (BigEndian (..), Varint (..))
import Ashlar.Compat.Binary (Binary)
import Ashlar.Compat.Formats (BinaryFormat (..))
import Ashlar.Schema
import Control.Exception (ErrorCall (..), evaluate, try)
import Data.List (isInfixOf)
import Data.Word (Word16)
import GHC.Generics (Generic)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "a derived description"
    [ testCase "of a record whose Codec is via BinaryFormat is refused" (refused @Old "Old"),
      testCase "of a record whose Codec is via Packed is refused" (refused @Small "Small"),
      testCase "via Packed, which asks for it, is refused" $
        refusedAs @Circle "the description of Circle is derived via",
      testCase "of a record that contains itself, packed" $
        length (schemaDefinitions (schema @(Packed Nest))) @?= 1,
      testCase "of a newtype whose Codec is via BigEndian is refused" (refused @Port "Port"),
      testCase "of a newtype whose Codec is via Varint is refused" (refused @Serial "Serial"),
      testCase "of a newtype whose Codec is via Packed is refused" (refused @Flag "Flag"),
      testCase "of a newtype whose Codec is via a tuple is refused" (refused @Two "Two"),
      testCase "of a newtype whose Codec is via a derived one is refused" (refused @Mine "Mine"),
      testCase "via the same type as Codec" $
        schemaRoot (schema @Both) @?= schemaRoot (schema @(BigEndian Word16)),
      testCase "of a newtype with the Codec of its field" (accepted @Ident),
      testCase "of a newtype whose values are checked" (accepted @Even),
      testCase "of a record whose values are checked" (accepted @Range)
    ]

data Old = Old Int Bool
  deriving stock (Generic)
  deriving anyclass (Binary, Described)
  deriving (Codec) via (BinaryFormat Old)

data Small = Small Int Bool
  deriving stock (Generic)
  deriving anyclass (Pack, Described)
  deriving (Codec) via (Packed Small)

data Circle = Circle Int Bool
  deriving stock (Generic)
  deriving anyclass (Pack)
  deriving (Codec, Described) via (Packed Circle)

data Nest = Nest Int (Maybe (Packed Nest))
  deriving stock (Generic)
  deriving anyclass (Codec, Described, Pack)

newtype Port = Port Word16
  deriving stock (Generic)
  deriving (Codec) via (BigEndian Word16)
  deriving anyclass (Described)

newtype Serial = Serial Word16
  deriving stock (Generic)
  deriving (Codec) via (Varint Word16)
  deriving anyclass (Described)

newtype Flag = Flag Bool
  deriving stock (Generic)
  deriving (Codec) via (Packed Bool)
  deriving anyclass (Described)

-- The format of the other type is derived.
newtype Two = Two (Word16, Word16)
  deriving stock (Generic)
  deriving (Codec) via (BigEndian Word16, BigEndian Word16)
  deriving anyclass (Described)

newtype Theirs = Theirs (BigEndian Word16)
  deriving stock (Generic)
  deriving anyclass (Codec)

newtype Mine = Mine Word16
  deriving stock (Generic)
  deriving (Codec) via Theirs
  deriving anyclass (Described)

newtype Both = Both Word16
  deriving stock (Generic)
  deriving (Codec, Described) via (BigEndian Word16)

newtype Ident = Ident Word16
  deriving stock (Generic)
  deriving newtype (Codec)
  deriving anyclass (Described)

newtype Even = Even Word16
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

instance HasFormat Even where
  format = satisfying "odd" (\(Even n) -> even n) derivedFormat

data Range = Range Int Int
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

instance HasFormat Range where
  format = satisfying "empty" (\(Range a b) -> a <= b) derivedFormat

refused :: forall a. Described a => String -> Assertion
refused name = refusedAs @a ("the Codec of " ++ name ++ " is not derived")

refusedAs :: forall a. Described a => String -> Assertion
refusedAs why = do
  r <- try (evaluate (length (show (schema @a))))
  case r of
    Left (ErrorCall message) -> assertBool message (why `isInfixOf` message)
    Right _ -> assertFailure "it has a schema"

accepted :: forall a. Described a => Assertion
accepted = () <$ evaluate (length (show (schema @a)))
