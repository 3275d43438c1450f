{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Mismatch
-- Description : What of an old schema cannot be read as today's type
module Ashlar.Schema.Internal.Evolution.Mismatch
  ( Mismatch (..),
    Misfit (..),
    Advice (..),
    Suggestion (..),
    describeMismatch,
    summarizeMismatch,
  )
where

import Data.Char (isPrint, showLitChar)
import Data.Text (Text)
import qualified Data.Text as T

-- | What cannot be read, and the path to it in today's type: @Order.items[].qty@.
data Mismatch = Mismatch
  { mismatchPath :: Text,
    mismatchWhat :: Misfit,
    -- | What to write to fix it. 'Nothing' if no evolution can fix it.
    mismatchAdvice :: Maybe Advice
  }
  deriving stock (Eq, Ord)

-- | What 'describeMismatch' says.
instance Show Mismatch where
  showsPrec _ m = showString (T.unpack (describeMismatch m))

-- | What does not fit. Shapes are as @describeSchema@ shows them, the old one first.
data Misfit
  = -- | The data lack this field, and it has no default.
    FieldIsNew Text
  | -- | The data have this field, and the type does not.
    FieldIsUnknown Text
  | -- | Two fields of the data would become this one.
    FieldIsAmbiguous Text
  | -- | The data may have this constructor, and the type does not.
    ConstructorIsUnknown Text
  | -- | Values of the one are not values of the other.
    CannotBecome Text Text
  | -- | A key of a map or an element of a set changes in a way that could change its order.
    KeyChanges
  | -- | A format that no schema describes, with a change around it.
    NotDescribed Text
  | -- | A type that contains itself at ever larger types, with a change.
    IsIrregular Text
  | -- | A newtype of itself.
    HasNoValues
  | -- | There are conversions of this field, and the data fit none. This is what does not fit the
    -- old type of one of them.
    InConversion Text Misfit
  | -- | The schemas are too large to be compared: more than ten million fields and constructors are
    -- looked at, with those that are tried for conversions.
    TooLarge
  deriving stock (Eq, Ord, Show)

-- | What to write, and where. All of it compiles.
data Advice
  = -- | In the evolution of the type with this name, one of these.
    InEvolutionOf Text [Suggestion]
  | -- | A newtype around the type that is read, and @converted \@"1"@ in the newtype's evolution.
    -- Given if no field around the value has an evolution that you can write.
    AroundAll
  deriving stock (Eq, Ord, Show)

-- | One of the functions of "Ashlar.Schema", and its names. What else it takes is up to you.
data Suggestion
  = -- | @added@, and the field.
    SayAdded Text
  | -- | @converted@, and the field.
    SayConverted Text
  | -- | @dropped@, and the old field.
    SayDropped Text
  | -- | @dropped@ in place of a @renamed@, and the old field.
    SayDroppedInstead Text
  | -- | @renamed@, and the old field.
    SayRenamed Text
  | -- | @droppedConstructor@, and the old constructor.
    SayDroppedConstructor Text
  | -- | @renamedConstructor@, and the old constructor.
    SayRenamedConstructor Text
  deriving stock (Eq, Ord, Show)

-- | A mismatch in one line: the path, what is wrong, and what to write.
describeMismatch :: Mismatch -> Text
describeMismatch m = case mismatchAdvice m of
  Nothing -> summarizeMismatch m
  Just advice -> T.concat [summarizeMismatch m, "; ", describeAdvice advice]

-- | The path and what is wrong, without the advice: for readers who cannot change the type.
summarizeMismatch :: Mismatch -> Text
summarizeMismatch (Mismatch path what _) = clean 400 path <> said what
  where
    said misfit = case misfit of
      InConversion field inner ->
        T.concat [" (read by converted @\"", clean 100 field, "\")", said inner]
      _ -> ": " <> message misfit
    message misfit = case misfit of
      FieldIsNew _ -> "the field is new"
      FieldIsUnknown name ->
        T.concat ["the data have a field ", clean 100 name, " that the type does not have"]
      FieldIsAmbiguous name -> T.concat ["two fields of the data would become ", clean 100 name]
      ConstructorIsUnknown name ->
        T.concat
          ["the data may have a constructor ", clean 100 name, " that the type does not have"]
      CannotBecome old new -> T.concat [clean 200 old, " cannot become ", clean 200 new]
      KeyChanges -> "a key may only become a wider number, because keys must stay in order"
      NotDescribed name ->
        T.concat
          [ "the format ",
            clean 100 name,
            " is not described, so nothing around it can change and it cannot be dropped"
          ]
      IsIrregular name ->
        T.concat ["the irregular type ", clean 100 name, " can be read only if nothing changes"]
      HasNoValues -> "a newtype of itself has no values"
      InConversion _ inner -> message inner
      TooLarge -> "the schemas are too large to be compared"

describeAdvice :: Advice -> Text
describeAdvice advice = case advice of
  InEvolutionOf name suggestions ->
    T.concat [T.intercalate ", or " (map say suggestions), " in the evolution of ", clean 100 name]
  AroundAll ->
    "read it as a newtype, and say how with converted @\"1\" in the newtype's evolution"
  where
    say s = case s of
      SayAdded n -> T.concat ["give it a default with added ", quoted n]
      SayConverted n -> T.concat ["say how with converted ", quoted n]
      SayDropped n -> T.concat ["say dropped ", quoted n]
      SayDroppedInstead n -> T.concat ["say dropped ", quoted n, " in place of renamed"]
      SayRenamed n -> T.concat ["renamed ", quoted n, " and its name today"]
      SayDroppedConstructor n -> T.concat ["say droppedConstructor ", quoted n]
      SayRenamedConstructor n -> T.concat ["renamedConstructor ", quoted n, " and its name today"]
    quoted n = T.concat ["@\"", clean 100 n, "\""]

-- Shorten and escape: names may be those of an untrusted schema.
clean :: Int -> Text -> Text
clean most t
  | T.length t > most = T.append (escaped (T.take most t)) "..."
  | otherwise = escaped t
  where
    escaped = T.concatMap (\c -> if isPrint c then T.singleton c else T.pack (showLitChar c ""))
