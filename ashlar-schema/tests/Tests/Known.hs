{-# LANGUAGE ExistentialQuantification #-}

-- |
-- Module      : Tests.Known
-- Description : The one list of described types
module Tests.Known
  ( Known (..),
    documented,
    others,
    onThisMachine,
  )
where

import qualified Ashlar.Codec.Packed as Packed
import Ashlar.Codec.Unsafe (AsStorable)
import Ashlar.Codec.Wrappers
import Ashlar.Schema (Described)
import Control.Applicative (ZipList)
import Data.Array (Array)
import Data.Array.Unboxed (UArray)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.ByteString.Short (ShortByteString)
import Data.Complex (Complex)
import Data.Fixed (Centi, Pico, Uni)
import Data.Functor.Compose (Compose)
import Data.Functor.Const (Const)
import Data.Functor.Identity (Identity)
import qualified Data.Functor.Product as Functor
import qualified Data.Functor.Sum as Functor
import Data.Int
import Data.IntMap (IntMap)
import Data.IntSet (IntSet)
import Data.List.NonEmpty (NonEmpty)
import qualified Data.Map as M
import qualified Data.Monoid as Monoid
import Data.Ord (Down)
import qualified Data.Primitive.Array as Primitive
import Data.Primitive.ByteArray (ByteArray)
import Data.Primitive.PrimArray (PrimArray)
import Data.Primitive.SmallArray (SmallArray)
import Data.Proxy (Proxy (..))
import Data.Ratio (Ratio)
import qualified Data.Semigroup as Semigroup
import Data.Sequence (Seq)
import qualified Data.Set as Set
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Time.Calendar (CalendarDiffDays, Day, DayOfWeek)
import Data.Time.Clock (DiffTime, NominalDiffTime, UTCTime, UniversalTime)
import Data.Time.Clock.System (SystemTime)
import Data.Time.Clock.TAI (AbsoluteTime)
import Data.Time.LocalTime (CalendarDiffTime, LocalTime, TimeOfDay, TimeZone, ZonedTime)
import qualified Data.Tree as Tree
import qualified Data.Vector as V
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Storable as S
import qualified Data.Vector.Unboxed as U
import Data.Version (Version)
import Data.Void (Void)
import Data.Word
import GHC.Fingerprint (Fingerprint)
import Numeric.Natural (Natural)
import qualified Tests.ByHand as ByHand
import qualified Tests.Derived as Derived

-- | A type and its name.
data Known = forall a. Described a => Known String (Proxy a)

-- | Those of docs/format.md, by the names that it has. "Tests.Instances" finds a missing one.
documented :: [Known]
documented =
  [ Known "Word8" (Proxy :: Proxy Word8),
    Known "Word16" (Proxy :: Proxy Word16),
    Known "Word32" (Proxy :: Proxy Word32),
    Known "Word64" (Proxy :: Proxy Word64),
    Known "Word" (Proxy :: Proxy Word),
    Known "Int8" (Proxy :: Proxy Int8),
    Known "Int16" (Proxy :: Proxy Int16),
    Known "Int32" (Proxy :: Proxy Int32),
    Known "Int64" (Proxy :: Proxy Int64),
    Known "Int" (Proxy :: Proxy Int),
    Known "Float" (Proxy :: Proxy Float),
    Known "Double" (Proxy :: Proxy Double),
    Known "Integer" (Proxy :: Proxy Integer),
    Known "Natural" (Proxy :: Proxy Natural),
    Known "Ratio Int8" (Proxy :: Proxy (Ratio Int8)),
    Known "Rational" (Proxy :: Proxy Rational),
    Known "Centi" (Proxy :: Proxy Centi),
    Known "Uni" (Proxy :: Proxy Uni),
    Known "Pico" (Proxy :: Proxy Pico),
    Known "Complex Float" (Proxy :: Proxy (Complex Float)),
    Known "Complex Integer" (Proxy :: Proxy (Complex Integer)),
    Known "Char" (Proxy :: Proxy Char),
    Known "Bool" (Proxy :: Proxy Bool),
    Known "Ordering" (Proxy :: Proxy Ordering),
    Known "()" (Proxy :: Proxy ()),
    Known "Proxy Int" (Proxy :: Proxy (Proxy Int)),
    Known "Maybe Word8" (Proxy :: Proxy (Maybe Word8)),
    Known "Maybe (Maybe ())" (Proxy :: Proxy (Maybe (Maybe ()))),
    Known "Either Word8 Bool" (Proxy :: Proxy (Either Word8 Bool)),
    Known "[Word16]" (Proxy :: Proxy [Word16]),
    Known "[Text]" (Proxy :: Proxy [T.Text]),
    Known "[()]" (Proxy :: Proxy [()]),
    Known "[[Bool]]" (Proxy :: Proxy [[Bool]]),
    Known "String" (Proxy :: Proxy String),
    Known "NonEmpty Word8" (Proxy :: Proxy (NonEmpty Word8)),
    Known "Version" (Proxy :: Proxy Version),
    Known "Fingerprint" (Proxy :: Proxy Fingerprint),
    Known "(Word8, Int16)" (Proxy :: Proxy (Word8, Int16)),
    Known "(Word8, String, Bool)" (Proxy :: Proxy (Word8, String, Bool)),
    Known "4 of Word8" (Proxy :: Proxy (Word8, Word8, Word8, Word8)),
    Known "5 of Word8" (Proxy :: Proxy (Word8, Word8, Word8, Word8, Word8)),
    Known "6 of Word8" (Proxy :: Proxy (Word8, Word8, Word8, Word8, Word8, Word8)),
    Known "7 of Word8" (Proxy :: Proxy (Word8, Word8, Word8, Word8, Word8, Word8, Word8)),
    Known "8 of Word8" (Proxy :: Proxy (Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8)),
    Known
      "9 of Word8"
      (Proxy :: Proxy (Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8)),
    Known
      "10 of Word8"
      (Proxy :: Proxy (Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8)),
    Known
      "11 of Word8"
      ( Proxy ::
          Proxy
            (Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8)
      ),
    Known
      "12 of Word8"
      ( Proxy ::
          Proxy
            (Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8)
      ),
    Known
      "13 of Word8"
      ( Proxy ::
          Proxy
            ( Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8
            )
      ),
    Known
      "14 of Word8"
      ( Proxy ::
          Proxy
            ( Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8
            )
      ),
    Known
      "15 of Word8"
      ( Proxy ::
          Proxy
            ( Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8
            )
      ),
    Known
      "(Int8, String, (), Bool, [Int8], Int8, Char, Word8)"
      (Proxy :: Proxy (Int8, String, (), Bool, [Int8], Int8, Char, Word8)),
    Known "Identity Word8" (Proxy :: Proxy (Identity Word8)),
    Known "Const Word8 Int" (Proxy :: Proxy (Const Word8 Int)),
    Known "Compose [] Maybe Word8" (Proxy :: Proxy (Compose [] Maybe Word8)),
    Known "Down Word8" (Proxy :: Proxy (Down Word8)),
    Known "ZipList Word8" (Proxy :: Proxy (ZipList Word8)),
    Known "All" (Proxy :: Proxy Monoid.All),
    Known "Any" (Proxy :: Proxy Monoid.Any),
    Known "Dual Word8" (Proxy :: Proxy (Monoid.Dual Word8)),
    Known "Sum Word8" (Proxy :: Proxy (Monoid.Sum Word8)),
    Known "Product Word8" (Proxy :: Proxy (Monoid.Product Word8)),
    Known "Monoid.First Word8" (Proxy :: Proxy (Monoid.First Word8)),
    Known "Monoid.Last Word8" (Proxy :: Proxy (Monoid.Last Word8)),
    Known "Alt Maybe Word8" (Proxy :: Proxy (Monoid.Alt Maybe Word8)),
    Known "Ap Maybe Word8" (Proxy :: Proxy (Monoid.Ap Maybe Word8)),
    Known "Min Word8" (Proxy :: Proxy (Semigroup.Min Word8)),
    Known "Max Word8" (Proxy :: Proxy (Semigroup.Max Word8)),
    Known "Semigroup.First Word8" (Proxy :: Proxy (Semigroup.First Word8)),
    Known "Semigroup.Last Word8" (Proxy :: Proxy (Semigroup.Last Word8)),
    Known "WrappedMonoid [Word8]" (Proxy :: Proxy (Semigroup.WrappedMonoid [Word8])),
    Known "Arg Word8 Bool" (Proxy :: Proxy (Semigroup.Arg Word8 Bool)),
    Known "Functor.Product Maybe [] Word8" (Proxy :: Proxy (Functor.Product Maybe [] Word8)),
    Known "Functor.Sum Maybe [] Word8" (Proxy :: Proxy (Functor.Sum Maybe [] Word8)),
    Known "ByteString" (Proxy :: Proxy B.ByteString),
    Known "Lazy.ByteString" (Proxy :: Proxy L.ByteString),
    Known "ShortByteString" (Proxy :: Proxy ShortByteString),
    Known "Text" (Proxy :: Proxy T.Text),
    Known "Lazy.Text" (Proxy :: Proxy TL.Text),
    Known "Map Word8 Bool" (Proxy :: Proxy (M.Map Word8 Bool)),
    Known "Map Text Word8" (Proxy :: Proxy (M.Map T.Text Word8)),
    Known "IntMap Word8" (Proxy :: Proxy (IntMap Word8)),
    Known "Set Int16" (Proxy :: Proxy (Set.Set Int16)),
    Known "Set Text" (Proxy :: Proxy (Set.Set T.Text)),
    Known "IntSet" (Proxy :: Proxy IntSet),
    Known "Seq Word8" (Proxy :: Proxy (Seq Word8)),
    Known "Seq Text" (Proxy :: Proxy (Seq T.Text)),
    Known "Tree Word8" (Proxy :: Proxy (Tree.Tree Word8)),
    Known "Vector Word16" (Proxy :: Proxy (V.Vector Word16)),
    Known "Vector Text" (Proxy :: Proxy (V.Vector T.Text)),
    Known "Vector (Pair Bool)" (Proxy :: Proxy (V.Vector (Derived.Pair Bool))),
    Known "Vector ()" (Proxy :: Proxy (V.Vector ())),
    Known "Unboxed.Vector Int" (Proxy :: Proxy (U.Vector Int)),
    Known "Unboxed.Vector (Word8, Bool)" (Proxy :: Proxy (U.Vector (Word8, Bool))),
    Known "Storable.Vector Word16" (Proxy :: Proxy (S.Vector Word16)),
    Known "Storable.Vector Double" (Proxy :: Proxy (S.Vector Double)),
    Known "Storable.Vector Char" (Proxy :: Proxy (S.Vector Char)),
    Known "Primitive.Vector Word16" (Proxy :: Proxy (P.Vector Word16)),
    Known "Primitive.Vector Char" (Proxy :: Proxy (P.Vector Char)),
    Known "Array Word8 Text" (Proxy :: Proxy (Array Word8 T.Text)),
    Known "Array (Word8, Bool) Word8" (Proxy :: Proxy (Array (Word8, Bool) Word8)),
    Known "UArray Int8 Int" (Proxy :: Proxy (UArray Int8 Int)),
    Known "UArray Word8 Bool" (Proxy :: Proxy (UArray Word8 Bool)),
    Known "ByteArray" (Proxy :: Proxy ByteArray),
    Known "PrimArray Word16" (Proxy :: Proxy (PrimArray Word16)),
    Known "PrimArray Char" (Proxy :: Proxy (PrimArray Char)),
    Known "Primitive.Array Word16" (Proxy :: Proxy (Primitive.Array Word16)),
    Known "Primitive.Array Text" (Proxy :: Proxy (Primitive.Array T.Text)),
    Known "SmallArray Word16" (Proxy :: Proxy (SmallArray Word16)),
    Known "Day" (Proxy :: Proxy Day),
    Known "DayOfWeek" (Proxy :: Proxy DayOfWeek),
    Known "DiffTime" (Proxy :: Proxy DiffTime),
    Known "NominalDiffTime" (Proxy :: Proxy NominalDiffTime),
    Known "UTCTime" (Proxy :: Proxy UTCTime),
    Known "UniversalTime" (Proxy :: Proxy UniversalTime),
    Known "AbsoluteTime" (Proxy :: Proxy AbsoluteTime),
    Known "SystemTime" (Proxy :: Proxy SystemTime),
    Known "TimeOfDay" (Proxy :: Proxy TimeOfDay),
    Known "LocalTime" (Proxy :: Proxy LocalTime),
    Known "TimeZone" (Proxy :: Proxy TimeZone),
    Known "ZonedTime" (Proxy :: Proxy ZonedTime),
    Known "CalendarDiffDays" (Proxy :: Proxy CalendarDiffDays),
    Known "CalendarDiffTime" (Proxy :: Proxy CalendarDiffTime),
    Known "derived Record" (Proxy :: Proxy Derived.Record),
    Known "derived AllFixed" (Proxy :: Proxy Derived.AllFixed),
    Known "derived Shape" (Proxy :: Proxy Derived.Shape),
    Known "derived Colour" (Proxy :: Proxy Derived.Colour),
    Known "derived Rose Text" (Proxy :: Proxy (Derived.Rose T.Text)),
    Known "derived Pair Int32" (Proxy :: Proxy (Derived.Pair Int32)),
    Known "derived Pair Text" (Proxy :: Proxy (Derived.Pair T.Text)),
    Known "derived Wrapper" (Proxy :: Proxy Derived.Wrapper),
    Known "derived Tree Word8" (Proxy :: Proxy (Derived.Tree Word8)),
    Known "derived Unit" (Proxy :: Proxy Derived.Unit),
    Known "Varint Word16" (Proxy :: Proxy (Varint Word16)),
    Known "Varint Word64" (Proxy :: Proxy (Varint Word64)),
    Known "Varint Int8" (Proxy :: Proxy (Varint Int8)),
    Known "Varint Int" (Proxy :: Proxy (Varint Int)),
    Known "Zigzag Word8" (Proxy :: Proxy (Zigzag Word8)),
    Known "Zigzag Word32" (Proxy :: Proxy (Zigzag Word32)),
    Known "Zigzag Int8" (Proxy :: Proxy (Zigzag Int8)),
    Known "Zigzag Int" (Proxy :: Proxy (Zigzag Int)),
    Known "BigEndian Word16" (Proxy :: Proxy (BigEndian Word16)),
    Known "BigEndian Word32" (Proxy :: Proxy (BigEndian Word32)),
    Known "BigEndian Word64" (Proxy :: Proxy (BigEndian Word64)),
    Known "BigEndian Word" (Proxy :: Proxy (BigEndian Word)),
    Known "BigEndian Int16" (Proxy :: Proxy (BigEndian Int16)),
    Known "BigEndian Int32" (Proxy :: Proxy (BigEndian Int32)),
    Known "BigEndian Int64" (Proxy :: Proxy (BigEndian Int64)),
    Known "BigEndian Int" (Proxy :: Proxy (BigEndian Int)),
    Known "BigEndian Float" (Proxy :: Proxy (BigEndian Float)),
    Known "BigEndian Double" (Proxy :: Proxy (BigEndian Double)),
    Known "Copied ByteString" (Proxy :: Proxy (Copied B.ByteString)),
    Known "Copied Lazy.ByteString" (Proxy :: Proxy (Copied L.ByteString)),
    Known "Compact (Copied ByteString)" (Proxy :: Proxy (Compact (Copied B.ByteString))),
    Known "Compact ByteString" (Proxy :: Proxy (Compact B.ByteString)),
    Known "Compact Lazy.ByteString" (Proxy :: Proxy (Compact L.ByteString)),
    Known "Compact ShortByteString" (Proxy :: Proxy (Compact ShortByteString)),
    Known "Compact Text" (Proxy :: Proxy (Compact T.Text)),
    Known "Compact Lazy.Text" (Proxy :: Proxy (Compact TL.Text)),
    Known "Compact [Int16]" (Proxy :: Proxy (Compact [Int16])),
    Known "Compact [()]" (Proxy :: Proxy (Compact [()])),
    Known "Compact (NonEmpty Bool)" (Proxy :: Proxy (Compact (NonEmpty Bool))),
    Known "Compact (Vector Int16)" (Proxy :: Proxy (Compact (V.Vector Int16))),
    Known "Compact (Vector Text)" (Proxy :: Proxy (Compact (V.Vector T.Text))),
    Known "Compact (Unboxed.Vector Int16)" (Proxy :: Proxy (Compact (U.Vector Int16))),
    Known "Compact (Storable.Vector Int16)" (Proxy :: Proxy (Compact (S.Vector Int16))),
    Known "Compact (Primitive.Vector Int16)" (Proxy :: Proxy (Compact (P.Vector Int16))),
    Known "Compact ByteArray" (Proxy :: Proxy (Compact ByteArray)),
    Known "Compact (PrimArray Int16)" (Proxy :: Proxy (Compact (PrimArray Int16))),
    Known "Compact (Array Word8)" (Proxy :: Proxy (Compact (Primitive.Array Word8))),
    Known "Compact (SmallArray Text)" (Proxy :: Proxy (Compact (SmallArray T.Text))),
    Known "Compact (Map Word8 Bool)" (Proxy :: Proxy (Compact (M.Map Word8 Bool))),
    Known "Compact (IntMap Bool)" (Proxy :: Proxy (Compact (IntMap Bool))),
    Known "Compact (Set Word8)" (Proxy :: Proxy (Compact (Set.Set Word8))),
    Known "Compact IntSet" (Proxy :: Proxy (Compact IntSet)),
    Known "Compact (Seq Word8)" (Proxy :: Proxy (Compact (Seq Word8))),
    Known "UTF16" (Proxy :: Proxy UTF16),
    Known "ScalarValue" (Proxy :: Proxy ScalarValue),
    Known "Packed Bool" (Proxy :: Proxy (Packed.Packed Bool)),
    Known "Packed Ordering" (Proxy :: Proxy (Packed.Packed Ordering)),
    Known "Packed ()" (Proxy :: Proxy (Packed.Packed ())),
    Known "Packed Word8" (Proxy :: Proxy (Packed.Packed Word8)),
    Known "Packed Word16" (Proxy :: Proxy (Packed.Packed Word16)),
    Known "Packed Word32" (Proxy :: Proxy (Packed.Packed Word32)),
    Known "Packed Word64" (Proxy :: Proxy (Packed.Packed Word64)),
    Known "Packed Word" (Proxy :: Proxy (Packed.Packed Word)),
    Known "Packed Int8" (Proxy :: Proxy (Packed.Packed Int8)),
    Known "Packed Int16" (Proxy :: Proxy (Packed.Packed Int16)),
    Known "Packed Int32" (Proxy :: Proxy (Packed.Packed Int32)),
    Known "Packed Int64" (Proxy :: Proxy (Packed.Packed Int64)),
    Known "Packed Int" (Proxy :: Proxy (Packed.Packed Int)),
    Known "Packed Float" (Proxy :: Proxy (Packed.Packed Float)),
    Known "Packed Double" (Proxy :: Proxy (Packed.Packed Double)),
    Known "Packed Char" (Proxy :: Proxy (Packed.Packed Char)),
    Known "Packed Integer" (Proxy :: Proxy (Packed.Packed Integer)),
    Known "Packed Natural" (Proxy :: Proxy (Packed.Packed Natural)),
    Known "Packed Rational" (Proxy :: Proxy (Packed.Packed Rational)),
    Known "Packed (Ratio Int)" (Proxy :: Proxy (Packed.Packed (Ratio Int))),
    Known "Packed (Complex Double)" (Proxy :: Proxy (Packed.Packed (Complex Double))),
    Known "Packed Day" (Proxy :: Proxy (Packed.Packed Day)),
    Known "Packed DayOfWeek" (Proxy :: Proxy (Packed.Packed DayOfWeek)),
    Known "Packed UTCTime" (Proxy :: Proxy (Packed.Packed UTCTime)),
    Known "Packed UniversalTime" (Proxy :: Proxy (Packed.Packed UniversalTime)),
    Known "Packed AbsoluteTime" (Proxy :: Proxy (Packed.Packed AbsoluteTime)),
    Known "Packed SystemTime" (Proxy :: Proxy (Packed.Packed SystemTime)),
    Known "Packed TimeOfDay" (Proxy :: Proxy (Packed.Packed TimeOfDay)),
    Known "Packed LocalTime" (Proxy :: Proxy (Packed.Packed LocalTime)),
    Known "Packed TimeZone" (Proxy :: Proxy (Packed.Packed TimeZone)),
    Known "Packed ZonedTime" (Proxy :: Proxy (Packed.Packed ZonedTime)),
    Known "Packed CalendarDiffDays" (Proxy :: Proxy (Packed.Packed CalendarDiffDays)),
    Known "Packed CalendarDiffTime" (Proxy :: Proxy (Packed.Packed CalendarDiffTime)),
    Known "Packed Strict.ByteString" (Proxy :: Proxy (Packed.Packed B.ByteString)),
    Known "Packed Lazy.ByteString" (Proxy :: Proxy (Packed.Packed L.ByteString)),
    Known "Packed ShortByteString" (Proxy :: Proxy (Packed.Packed ShortByteString)),
    Known "Packed Text" (Proxy :: Proxy (Packed.Packed T.Text)),
    Known "Packed Lazy.Text" (Proxy :: Proxy (Packed.Packed TL.Text)),
    Known "Packed String" (Proxy :: Proxy (Packed.Packed String)),
    Known "Packed UTF16" (Proxy :: Proxy (Packed.Packed UTF16)),
    Known "Packed ScalarValue" (Proxy :: Proxy (Packed.Packed ScalarValue)),
    Known "Packed (Copied ByteString)" (Proxy :: Proxy (Packed.Packed (Copied B.ByteString))),
    Known "Packed (Varint Int)" (Proxy :: Proxy (Packed.Packed (Varint Int))),
    Known "Packed (Zigzag Int)" (Proxy :: Proxy (Packed.Packed (Zigzag Int))),
    Known "Packed (BigEndian Word16)" (Proxy :: Proxy (Packed.Packed (BigEndian Word16))),
    Known "Packed (Compact [Int])" (Proxy :: Proxy (Packed.Packed (Compact [Int]))),
    Known "Packed (Unpacked [Int16])" (Proxy :: Proxy (Packed.Packed (Packed.Unpacked [Int16]))),
    Known "Packed (Bool, Packed Bool)" (Proxy :: Proxy (Packed.Packed (Bool, Packed.Packed Bool))),
    Known "Packed (Maybe Bool)" (Proxy :: Proxy (Packed.Packed (Maybe Bool))),
    Known "Packed (Either Int Bool)" (Proxy :: Proxy (Packed.Packed (Either Int Bool))),
    Known "Packed (Bool, Word16, Bool)" (Proxy :: Proxy (Packed.Packed (Bool, Word16, Bool))),
    Known "Packed (Identity Int)" (Proxy :: Proxy (Packed.Packed (Identity Int))),
    Known "Packed (Sum Int)" (Proxy :: Proxy (Packed.Packed (Monoid.Sum Int))),
    Known "Packed [()]" (Proxy :: Proxy (Packed.Packed [()])),
    Known "Packed [Bool]" (Proxy :: Proxy (Packed.Packed [Bool])),
    Known "Packed [Int]" (Proxy :: Proxy (Packed.Packed [Int])),
    Known "Packed (NonEmpty Bool)" (Proxy :: Proxy (Packed.Packed (NonEmpty Bool))),
    Known "Packed (Vector Bool)" (Proxy :: Proxy (Packed.Packed (V.Vector Bool))),
    Known "Packed (Unboxed.Vector Bool)" (Proxy :: Proxy (Packed.Packed (U.Vector Bool))),
    Known "Packed (Storable.Vector Int16)" (Proxy :: Proxy (Packed.Packed (S.Vector Int16))),
    Known "Packed (Primitive.Vector Int16)" (Proxy :: Proxy (Packed.Packed (P.Vector Int16))),
    Known "Packed ByteArray" (Proxy :: Proxy (Packed.Packed ByteArray)),
    Known "Packed (Seq Bool)" (Proxy :: Proxy (Packed.Packed (Seq Bool))),
    Known "Packed (Map Word16 Bool)" (Proxy :: Proxy (Packed.Packed (M.Map Word16 Bool))),
    Known "Packed (IntMap Bool)" (Proxy :: Proxy (Packed.Packed (IntMap Bool))),
    Known "Packed (Set Bool)" (Proxy :: Proxy (Packed.Packed (Set.Set Bool))),
    Known "Packed IntSet" (Proxy :: Proxy (Packed.Packed IntSet)),
    Known "Packed (Array Word8 Bool)" (Proxy :: Proxy (Packed.Packed (Array Word8 Bool))),
    Known "Packed (UArray Word8 Int)" (Proxy :: Proxy (Packed.Packed (UArray Word8 Int))),
    Known "Packed (Tree Bool)" (Proxy :: Proxy (Packed.Packed (Tree.Tree Bool)))
  ]

-- | Types that the documentation has no rows for.
others :: [Known]
others =
  [ Known "by hand Reading" (Proxy :: Proxy ByHand.Reading),
    Known "by hand Shape" (Proxy :: Proxy ByHand.Shape),
    Known "by hand Port" (Proxy :: Proxy ByHand.Port),
    Known "by hand Versioned" (Proxy :: Proxy ByHand.Versioned),
    Known "by hand Email" (Proxy :: Proxy ByHand.Email),
    Known "by hand Single" (Proxy :: Proxy ByHand.Single),
    Known "by hand Set Suit" (Proxy :: Proxy (Set.Set ByHand.Suit)),
    Known "Void" (Proxy :: Proxy Void),
    Known "Never" (Proxy :: Proxy Derived.Never),
    Known "Perfect Word8" (Proxy :: Proxy (Derived.Perfect Word8)),
    Known "Towers Word8" (Proxy :: Proxy (Derived.Towers Word8)),
    Known "Expression" (Proxy :: Proxy Derived.Expression),
    Known "Binding" (Proxy :: Proxy Derived.Binding),
    Known "Phantom Ordering" (Proxy :: Proxy (Derived.Phantom Ordering)),
    Known "Nest" (Proxy :: Proxy Derived.Nest),
    Known "Endless" (Proxy :: Proxy Derived.Endless),
    Known "Chain" (Proxy :: Proxy Derived.Chain),
    Known "Set (Down Word8)" (Proxy :: Proxy (Set.Set (Down Word8))),
    Known "Set ByteArray" (Proxy :: Proxy (Set.Set ByteArray)),
    Known
      "Map (Maybe Word8, [Bool]) UTCTime"
      (Proxy :: Proxy (M.Map (Maybe Word8, [Bool]) UTCTime)),
    Known
      "Map (Either Word8 Text) (Set (Set Bool))"
      (Proxy :: Proxy (M.Map (Either Word8 T.Text) (Set.Set (Set.Set Bool)))),
    Known "Set Double" (Proxy :: Proxy (Set.Set Double)),
    Known "Set Rational" (Proxy :: Proxy (Set.Set Rational)),
    Known "Set Version" (Proxy :: Proxy (Set.Set Version)),
    Known "Maybe [()]" (Proxy :: Proxy (Maybe [()])),
    Known "Array Ordering ()" (Proxy :: Proxy (Array Ordering ())),
    Known "Compact (Set Text)" (Proxy :: Proxy (Compact (Set.Set T.Text))),
    Known "Zigzag Word64" (Proxy :: Proxy (Zigzag Word64)),
    Known "Zigzag Int64" (Proxy :: Proxy (Zigzag Int64)),
    Known "Varint Int64" (Proxy :: Proxy (Varint Int64)),
    Known "Varint Word8" (Proxy :: Proxy (Varint Word8)),
    Known "Varint Int32" (Proxy :: Proxy (Varint Int32)),
    Known "Zigzag Int16" (Proxy :: Proxy (Zigzag Int16)),
    Known "[Unit]" (Proxy :: Proxy [Derived.Unit]),
    Known
      "Array Word8 (Array (Int8, Bool) Bool)"
      (Proxy :: Proxy (Array Word8 (Array (Int8, Bool) Bool)))
  ]

-- | Types whose bytes depend on the machine.
onThisMachine :: [Known]
onThisMachine =
  [ Known "HostEndian Word32" (Proxy :: Proxy (HostEndian Word32)),
    Known "HostEndian Double" (Proxy :: Proxy (HostEndian Double)),
    Known "Packed (HostEndian Word32)" (Proxy :: Proxy (Packed.Packed (HostEndian Word32))),
    Known "Packed [HostEndian Int16]" (Proxy :: Proxy (Packed.Packed [HostEndian Int16])),
    Known "Packed (HostEndian Double)" (Proxy :: Proxy (Packed.Packed (HostEndian Double))),
    Known
      "(HostEndian Int, Packed (HostEndian Int, Bool))"
      (Proxy :: Proxy (HostEndian Int, Packed.Packed (HostEndian Int, Bool))),
    Known "AsStorable Int" (Proxy :: Proxy (AsStorable Int)),
    Known "[AsStorable Int32]" (Proxy :: Proxy [AsStorable Int32])
  ]
