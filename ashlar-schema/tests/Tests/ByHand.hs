{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.ByHand
-- Description : Types with formats and descriptions by hand
module Tests.ByHand
  ( Reading,
    Shape,
    Port,
    Versioned,
    Email,
    Single,
    Suit,
  )
where

import Ashlar.Codec (Codec, HasFormat (format), codec, satisfying)
import Ashlar.Codec.Combinators
  ( alternative,
    bijection,
    constant,
    constructor,
    end,
    field,
    record,
    retired,
    variant,
  )
import Ashlar.Schema hiding (Shape)
import Data.Text (Text)
import Data.Word (Word16, Word8)

-- | A record.
data Reading = Reading Text Double
  deriving anyclass (Codec)

instance HasFormat Reading where
  format =
    record "Reading" $
      Reading
        <$> field "station" (\(Reading s _) -> s) codec
          <*> field
            "celsius"
            (\(Reading _ c) -> c)
            codec

instance Described Reading where
  describe = recordOf "Reading" [part @Text "station", part @Double "celsius"]

-- | A variant with a tag that is no longer in use.
data Shape = Point | Circle Double | Box Double Double | Group [Shape]
  deriving anyclass (Codec)

instance HasFormat Shape where
  format =
    variant "Shape" decide $
      constructor "Point" Point $
        alternative "Circle" Circle codec $
          retired "Oval" $
            alternative "Box" (uncurry Box) codec $
              alternative "Group" Group codec end
    where
      decide point circle box many s = case s of
        Point -> point
        Circle r -> circle r
        Box a b -> box (a, b)
        Group ss -> many ss

instance Described Shape where
  describe =
    variantOf
      "Shape"
      [ caseOf "Point" [],
        caseOf "Circle" [part @Double ""],
        retiredCase "Oval",
        caseOf "Box" [part @Double "", part @Double ""],
        caseOf "Group" [part @[Shape] ""]
      ]

-- | A number with bounds.
newtype Port = Port Word16
  deriving anyclass (Codec)

instance HasFormat Port where
  format =
    satisfying "a privileged port" (\(Port p) -> p >= 1024) (bijection (\(Port p) -> p) Port codec)

instance Described Port where
  describe = whole @Word16 1024 65535

-- | Constant bytes before a value.
newtype Versioned = Versioned Text
  deriving anyclass (Codec)

instance HasFormat Versioned where
  format =
    record "Versioned" $
      (\() t -> Versioned t)
        <$> field "version" (const ()) (constant (2 :: Word16) codec)
        <*> field "text" (\(Versioned t) -> t) codec

instance Described Versioned where
  describe = recordOf "Versioned" [partBy "version" (exactly (2 :: Word16)), part @Text "text"]

-- | The bytes of another type.
newtype Email = Email Text
  deriving anyclass (Codec)

instance HasFormat Email where
  format = bijection (\(Email t) -> t) Email codec

instance Described Email where
  describe = as @Text

-- | A variant of one constructor has a tag.
newtype Single = Single Word8
  deriving anyclass (Codec)

instance HasFormat Single where
  format =
    variant "Single" (\single (Single w) -> single w) (alternative "Single" Single codec end)

instance Described Single where
  describe = variantOf "Single" [caseOf "Single" [part @Word8 ""]]

-- | Keys whose order is known.
data Suit = Spades | Hearts Word8
  deriving stock (Eq, Ord)
  deriving anyclass (Codec)

instance HasFormat Suit where
  format =
    variant "Suit" decide (constructor "Spades" Spades (alternative "Hearts" Hearts codec end))
    where
      decide spades hearts s = case s of
        Spades -> spades
        Hearts w -> hearts w

instance Described Suit where
  describe =
    orderedByParts (variantOf "Suit" [caseOf "Spades" [], caseOf "Hearts" [part @Word8 ""]])
