{-# LANGUAGE ConstraintKinds #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GADTs #-}
{-# LANGUAGE KindSignatures #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeOperators #-}
{-# OPTIONS_GHC -fdefer-type-errors -Wno-deferred-type-errors -Wno-partial-fields #-}

-- |
-- Module      : Tests.Types.Rejected
-- Description : What may not be said of a type's evolution
--
-- Type errors are deferred, so each of these throws a 'Control.Exception.TypeError' when it is
-- forced.
module Tests.Types.Rejected
  ( Order (..),
    rejected,
    accepted,
  )
where

import Ashlar.Codec (Codec)
import Ashlar.Schema
import Ashlar.Schema.Internal.Change
import Data.Int (Int64)
import Data.Text (Text)
import GHC.Exts (Any)
import GHC.Generics (Generic)
import Unsafe.Coerce (unsafeCoerce)

data Order = Order {number :: Int, channel :: Text, price :: Double} | Cancelled {number :: Int}
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Described Order where
  evolution =
    [ added @"channel" "web",
      renamed @"nr" @"number",
      dropped @"note",
      converted @"price" (\cents -> fromIntegral (cents :: Int64) / 100),
      renamedConstructor @"Void" @"Cancelled",
      droppedConstructor @"Lost"
    ]

-- | Fields without names.
data Two = One Int | Two Int Text | Eleven () () () () () () () () () () Int
  deriving stock (Generic)

-- | A name, what the message must have, and what throws it.
rejected :: [(String, [String], ())]
rejected =
  [ ( "added: no such field",
      [order, "no field", "chanel"],
      forced
        (Dict :: Dict (HasFieldNow "chanel" Order))
    ),
    ( "renamed, dropped: the field is there",
      [order, "still has", "price"],
      forced
        (Dict :: Dict (NoFieldNow "price" Order))
    ),
    ( "renamedConstructor: no such constructor",
      [order, "no constructor", "Canceled"],
      forced
        (Dict :: Dict (HasConstructorNow "Canceled" Order))
    ),
    ( "droppedConstructor: it is there",
      [order, "still has", "Cancelled"],
      forced
        (Dict :: Dict (NoConstructorNow "Cancelled" Order))
    ),
    ( "a position without its constructor, where there are several",
      ["Two", "no field", "2"],
      forced (Dict :: Dict (HasFieldNow "2" Two))
    ),
    ( "a position that the constructor does not have",
      ["Two", "no field", "One.2"],
      forced (Dict :: Dict (HasFieldNow "One.2" Two))
    ),
    ( "dropped: the position is there",
      ["Two", "still has", "Two.2"],
      forced (Dict :: Dict (NoFieldNow "Two.2" Two))
    ),
    ( "dropped: the field of this constructor is there",
      [order, "still has", "Cancelled.number"],
      forced (Dict :: Dict (NoFieldNow "Cancelled.number" Order))
    )
  ]
  where
    order = "Order"

-- | The same without the mistake.
accepted :: [(String, ())]
accepted =
  [ ("added", forced (Dict :: Dict (HasFieldNow "channel" Order))),
    ("dropped", forced (Dict :: Dict (NoFieldNow "note" Order))),
    ("renamedConstructor", forced (Dict :: Dict (HasConstructorNow "Cancelled" Order))),
    ("droppedConstructor", forced (Dict :: Dict (NoConstructorNow "Lost" Order))),
    ("a position", forced (Dict :: Dict (HasFieldNow "Two.2" Two))),
    ("a position of two digits", forced (Dict :: Dict (HasFieldNow "Eleven.11" Two))),
    ("a position that is gone", forced (Dict :: Dict (NoFieldNow "One.2" Two))),
    ("a field of a constructor", forced (Dict :: Dict (HasFieldNow "Cancelled.number" Order))),
    ("a field of another constructor", forced (Dict :: Dict (NoFieldNow "Cancelled.price" Order))),
    ("the type of a field", forced (Dict :: Dict (FieldNow "Two.2" Two ~ 'Just Text)))
  ]

-- The evidence of a constraint. That of a type error is what throws it.
data Dict c where
  Dict :: c => Dict c

-- No newtype: it has the memory of a 'Dict'.
{- HLINT ignore "Use newtype instead of data" -}
data Box = Box Any

forced :: Dict c -> ()
forced d = case unsafeCoerce d of
  Box evidence -> evidence `seq` ()
